import type { OperationName, SentParametersFor } from '../../../kernel/declare/catalog.ts';

/** What an operation answered: its data as the JSON format writes it, or why there is none. */
export interface CallAnswer {
  readonly status: number;
  readonly data?: unknown;
  /** The message of a refusal, in words for the user. */
  readonly error?: string;
  /** The field that a refusal is about. */
  readonly field?: string;
}

/** The status of a call that got no answer: there is no connection. */
export const NO_ANSWER = 0;

/**
 * Calls an operation as the signed-in user. Never throws: without an answer the status is {@link NO_ANSWER}. A name or
 * parameter that does not exist does not compile.
 *
 * @param options.key makes a repeated call the same call: it is carried out once
 * @param options.signal gives the call up
 */
export async function callOperation<N extends OperationName>(
  name: N,
  parameters: SentParametersFor<N>,
  { key, signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<CallAnswer> {
  try {
    const response = await fetch(`/api/${name as string}?Output=Json`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-CSRF-Token': csrfToken(),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(parameters),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const data: unknown = text === '' ? undefined : JSON.parse(text);
    return response.ok ? { status: response.status, data } : { status: response.status, ...refusalOf(data) };
  } catch {
    return { status: NO_ANSWER, error: 'No connection to the server.' };
  }
}

/** Returns the token with which this page's requests are accepted. */
export function csrfToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=csrf-token]')?.content ?? '';
}

function refusalOf(data: unknown): { error: string; field?: string } {
  const { Error: refusal } = (data ?? {}) as { Error?: { Message?: string; Field?: string } };
  const error = refusal?.Message ?? 'The server could not answer. Try again.';
  return refusal?.Field === undefined ? { error } : { error, field: refusal.Field };
}
