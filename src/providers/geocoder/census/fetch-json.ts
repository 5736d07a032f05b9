import { PlatformError } from '../../../kernel/door/errors.ts';
import { sendOutboundRequest } from '../../../lib/http/outbound-request.ts';
import { retryAfterSeconds } from '../../../lib/http/retry-after.ts';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';

/** An answer of candidates is a few kilobytes; what is longer is none. */
const ANSWER_BYTES_MAX = 512 * 1024;
/** No longer does anybody have to be left alone: the next call asks again. */
const RETRY_SECONDS_MAX = 3_600;

/** What came of asking: a document, or a short word why there is none. */
export type JsonResponse =
  | { readonly kind: 'answered'; readonly status: number; readonly json: unknown }
  | { readonly kind: 'unavailable'; readonly problem: string; readonly retryAfterSeconds?: number };

/**
 * Gets a JSON document and never throws. Redirects are not followed, the address is looked at by the rules for what the
 * platform sends by itself, and an answer that is late, long or no JSON is none.
 */
export async function fetchJson(text: string, rules: OutboundRules, milliseconds: number): Promise<JsonResponse> {
  try {
    const headers = { Accept: 'application/json', 'User-Agent': 'Casewright-Geocoder/1' };
    const answer = await sendOutboundRequest(outboundUrl(rules, text, 'GeocoderCensusUrl'), {
      method: 'GET',
      headers,
      rules,
      milliseconds,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    const { status, body } = answer;
    if (status === 200 || status === 400) return { kind: 'answered', status, json: JSON.parse(body) as unknown };
    const seconds = retryAfterSeconds(answer.headers);
    return {
      kind: 'unavailable',
      problem: `HTTP ${status}`,
      ...(seconds === undefined ? {} : { retryAfterSeconds: Math.min(seconds, RETRY_SECONDS_MAX) }),
    };
  } catch (error) {
    return { kind: 'unavailable', problem: problemOf(error) };
  }
}

/** A short word for a failure; its own words may hold the address. */
function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'NOT_JSON';
  if (error instanceof PlatformError) return 'ADDRESS_REFUSED';
  const { code } = error instanceof Error ? (error as Error & { code?: unknown }) : {};
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'FAILED';
}
