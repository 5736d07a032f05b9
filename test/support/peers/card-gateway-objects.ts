import { randomBytes } from 'node:crypto';

/** A nested form field: text, a list or further fields. */
export type FormValue = string | { readonly [name: string]: FormValue };

/** Fields of a request by name. */
export type Form = { readonly [name: string]: FormValue };

/** An object of the gateway, as its interface shows it. */
export interface WireObject extends Record<string, unknown> {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  customer?: string | null;
}

/** A refusal of the gateway. */
export class Refusal extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, error: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.error = { type: status === 402 ? 'card_error' : 'invalid_request_error', message, ...error };
  }
}

/** What a card does, by the token that stands for it. The first six are the library's documented ones. */
export interface CardBehavior {
  readonly brand: string;
  readonly last4: string;
  /** The code with which charges are declined, and whether the card cannot be stored either. */
  readonly decline?: string;
  readonly isNotStored?: true;
  readonly isLost?: true;
  /** It is stored, but without an answer. */
  readonly isLostWhenStored?: true;
  readonly isDisputed?: true;
  readonly isBank?: true;
}

export const behaviors: ReadonlyMap<string, CardBehavior> = new Map<string, CardBehavior>([
  ['tok_visa', { brand: 'visa', last4: '4242' }],
  ['tok_mastercard', { brand: 'mastercard', last4: '4444' }],
  ['tok_chargeDeclined', { brand: 'visa', last4: '0002', decline: 'generic_decline', isNotStored: true }],
  ['tok_chargeDeclinedInsufficientFunds', { brand: 'visa', last4: '9995', decline: 'insufficient_funds' }],
  ['tok_createDispute', { brand: 'visa', last4: '0259', isDisputed: true }],
  ['pm_usBankAccount_success', { brand: 'bank', last4: '6789', isBank: true }],
  ['tok_lostStoring', { brand: 'visa', last4: '4242', isLostWhenStored: true }],
  // Its charges are made, but the connection is closed without an answer.
  ['tok_lostAnswer', { brand: 'visa', last4: '4242', isLost: true }],
]);

/** Returns a new ID such as `pi_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/** Parses form fields with brackets: `a[b][0]=c`. */
export function parseForm(text: string): Form {
  const form: Record<string, FormValue> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[');
    let at = form;
    for (const [depth, part] of path.entries()) {
      const last = depth === path.length - 1;
      const key = part === '' ? String(Object.keys(at).length) : part;
      if (last) at[key] = value;
      else at = (at[key] ??= {}) as Record<string, FormValue>;
    }
  }
  return form;
}

/** Returns a field as text; undefined if it is absent. */
export function text(form: Form, name: string): string | undefined {
  const value = form[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns nested fields. */
export function fields(form: Form, name: string): Form {
  const value = form[name];
  return typeof value === 'object' ? value : {};
}

/** Returns the names in `expand`. */
export function expansions(form: Form): ReadonlySet<string> {
  return new Set(Object.values(fields(form, 'expand')).filter((name) => typeof name === 'string'));
}
