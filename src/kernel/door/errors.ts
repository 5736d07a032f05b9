import { maskNumbers } from '../security/mask.ts';

/**
 * All errors that the platform returns to callers. The code is stable and part of the interface, `status` is its HTTP
 * form, and `text` is the default message.
 */
export const errorTable = {
  BAD_PARAMETER: { status: 400, text: 'A parameter has an invalid value.' },
  MISSING_PARAMETER: { status: 400, text: 'A required parameter is missing.' },
  UNKNOWN_PARAMETER: { status: 400, text: 'The operation has no parameter of this name.' },
  BAD_XML: { status: 400, text: 'The body is not a well-formed XML document, or uses features that are not allowed.' },
  BAD_JSON: { status: 400, text: 'The body is not well-formed JSON.' },
  BAD_OUTPUT: { status: 400, text: 'The answer cannot be written in the requested Output format.' },
  BAD_SIGNATURE: { status: 400, text: 'The method signature does not name an operation and its parameters.' },
  BAD_STATEMENT: { status: 400, text: 'The statement is not a single SELECT that reads only permitted data.' },
  BAD_STYLESHEET: {
    status: 400,
    text: 'The stylesheet is not valid XSLT 1.0, or uses features that are not allowed.',
  },
  BAD_XPATH: {
    status: 400,
    text: 'The expression is not valid XPath 1.0, or uses features that are not allowed.',
  },
  BAD_TEMPLATE: { status: 422, text: 'The template cannot be filled in as it is written.' },
  NOT_SIGNED_IN: { status: 401, text: 'Sign in with an API key or with HTTP Basic credentials.' },
  NO_PERMISSION: { status: 403, text: 'You lack the permission for this operation.' },
  CONFIRM_IDENTITY: {
    status: 403,
    text: 'Confirm that it is you: enter your own password again, then repeat the change.',
  },
  PASSWORD_CHANGE_REQUIRED: {
    status: 403,
    text: 'This password was set by someone else. Choose your own with person/changepassword first.',
  },
  CSRF_REFUSED: {
    status: 403,
    text: "A change from a browser must come from a page of the platform: send it by POST with the page's token.",
  },
  HTTPS_REQUIRED: {
    status: 403,
    text:
      'Use https://. Change any password or key that was sent unencrypted. If a proxy already serves HTTPS, it must ' +
      'send X-Forwarded-Proto, and CASEWRIGHT_TRUSTED_PROXIES must name it.',
  },
  NOT_FOUND: { status: 404, text: "Record not found, or you don't have access to it." },
  UNKNOWN_OPERATION: { status: 404, text: 'No such module or operation.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'The operation is not called by this HTTP method.' },
  TOO_SLOW: { status: 408, text: 'The body arrived too slowly, or not completely. Send the call again.' },
  VERSION_CONFLICT: {
    status: 409,
    text: 'The record was changed after the version that was sent. Read it again, then repeat the change.',
  },
  DUPLICATE_KEY: { status: 409, text: 'Another record already has this value, which must be unique.' },
  IDEMPOTENCY_MISMATCH: { status: 409, text: 'This Idempotency-Key was already used for a different request.' },
  CONCURRENT_CHANGE: { status: 409, text: 'Somebody else was changing the same records. Send the call again.' },
  LOCKED: { status: 409, text: 'The record is locked against changes.' },
  IN_USE: { status: 409, text: 'Other records still refer to this one.' },
  TOO_LARGE: { status: 413, text: 'The request is larger than the limit.' },
  UNREADABLE_TYPE: { status: 415, text: 'The operation does not accept a body of this content type.' },
  RULE_EXCEPTION: { status: 422, text: 'A business rule refuses the change.' },
  RULE_FAILED: { status: 422, text: 'The change was refused because a business rule could not be run.' },
  STEP_FAILED: {
    status: 422,
    text: 'Your change was saved, but a workflow step failed. The step is in Error and can be retried.',
  },
  PAYMENT_DECLINED: { status: 422, text: 'The card or bank account was declined.' },
  STATE_REFUSES: { status: 422, text: "The record's state does not allow this." },
  DOCUMENT_INFECTED: { status: 422, text: 'Malware was found in the file. It is in quarantine, or was not stored.' },
  DOCUMENT_UNSCANNABLE: { status: 422, text: 'The file could not be scanned for malware and is not served.' },
  UNREADABLE_DOCUMENT: { status: 422, text: 'The document cannot be converted.' },
  UNKNOWN_PROVIDER: { status: 422, text: 'No provider has this name.' },
  CHAIN_TOO_DEEP: { status: 422, text: 'Operations called one another more levels deep than the limit.' },
  TOO_MANY: { status: 429, text: 'Too many calls. Try again later.' },
  INTERNAL: {
    status: 500,
    text: 'Unexpected error. Quote the correlation ID to support; the details are in the error log.',
  },
  CONVERTER_UNAVAILABLE: {
    status: 503,
    text: 'A program that converts or prints documents is not installed or not set up.',
  },
  DOCUMENT_NOT_SCANNED: { status: 503, text: 'The file is waiting for its malware scan. Try again later.' },
  OCR_UNAVAILABLE: {
    status: 503,
    text: 'The program that recognizes text in pictures is not installed or not set up (setting OcrCommand).',
  },
  TIMED_OUT: { status: 503, text: 'The call took longer than its time limit and was rolled back.' },
  UNAVAILABLE: { status: 503, text: 'A service that the call needs is unavailable. Try again later.' },
} as const satisfies Record<string, { status: number; text: string }>;

/** A stable error code, a key of {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable;

/** Details of an error: `field` names the parameter or column, `details` are further facts that the caller may see. */
export interface ErrorFacts {
  readonly message?: string;
  readonly field?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly alerts?: readonly Alert[];
  readonly cause?: unknown;
}

/**
 * A warning that is returned with an answer without failing it, such as a business rule's or a refused item of a list.
 */
export interface Alert {
  readonly code: string;
  readonly text: string;
  readonly id?: number;
}

/** Longest message and field name: sent names and values are repeated, but not at any length. */
const MESSAGE_CHARACTERS_MAX = 2_500;
const FIELD_CHARACTERS_MAX = 200;

/** An error that is safe to return to the caller. Any other exception becomes INTERNAL and is only logged. */
export class PlatformError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly alerts: readonly Alert[];

  constructor(code: ErrorCode, facts: ErrorFacts = {}) {
    super(
      (facts.message ?? errorTable[code].text).slice(0, MESSAGE_CHARACTERS_MAX),
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.name = 'PlatformError';
    this.code = code;
    this.field = facts.field?.slice(0, FIELD_CHARACTERS_MAX);
    this.details = facts.details;
    this.alerts = facts.alerts ?? [];
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  /** Returns the error with possible Social Security numbers masked in its texts. */
  masked(): PlatformError {
    const { message, field, details, alerts, cause } = this;
    const text = maskNumbers(message);
    const masked = {
      field: field === undefined ? undefined : maskNumbers(field),
      details: details && maskAll(details),
      alerts: alerts.map((a) => ({ ...a, text: maskNumbers(a.text) })),
    };
    const isSame =
      text === message &&
      masked.field === field &&
      JSON.stringify([masked.details, masked.alerts]) === JSON.stringify([details, alerts]);
    return isSame
      ? this
      : new PlatformError(this.code, {
          message: text,
          alerts: masked.alerts,
          cause,
          ...(masked.field === undefined ? {} : { field: masked.field }),
          ...(masked.details ? { details: masked.details } : {}),
        });
  }
}

/** Turns NOT_FOUND into undefined, as the handler of a rejected promise. Throws any other error. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
}

function maskAll(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string') return maskNumbers(value);
    return Array.isArray(value) ? value.map(mask) : value;
  };
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [maskNumbers(name), mask(value)]));
}

/** Number of characters of an unknown name that are compared with the known names. */
const NAME_CHARACTERS_COMPARED = 100;

/** Most edits allowed for short names, where half the length would allow fewer. */
const DISTANCE_SHORT_MAX = 3;

/** Largest share of the longer name that may differ. Three of four characters make another word, not a misspelling. */
const DIFFERENT_SHARE_MAX = 0.6;

/** Shortest name for which longer names are suggested, such as AmountMoney for Amount. */
const NAME_START_CHARACTERS_MIN = 4;

/**
 * Returns the names of `known` most similar to `name`, best first, for "Did you mean"; if none is, those that begin or
 * end with it.
 */
export function nearest(name: string, known: Iterable<string>, most = 3): string[] {
  // Longer names match nothing, and comparing costs the product of both lengths.
  const target = name.slice(0, NAME_CHARACTERS_COMPARED).toLowerCase();
  const scored = [...known].map((candidate) => ({
    candidate,
    distance: editDistance(target, candidate.toLowerCase()),
  }));
  scored.sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate));
  const near = scored.filter(({ candidate, distance }) => {
    const longer = Math.max(target.length, candidate.length);
    return distance <= Math.max(DISTANCE_SHORT_MAX, target.length / 2) && distance <= longer * DIFFERENT_SHARE_MAX;
  });
  const found = near.length > 0 ? near : scored.filter(({ candidate }) => isLongerForm(candidate, target));
  return found.slice(0, most).map((s) => s.candidate);
}

function isLongerForm(candidate: string, name: string): boolean {
  const longer = candidate.toLowerCase();
  return name.length >= NAME_START_CHARACTERS_MIN && (longer.startsWith(name) || longer.endsWith(name));
}

/** Returns " Did you mean …?" with the known names nearest to an unknown one, or '' if none is near. */
export function didYouMean(name: string, known: Iterable<string>, most?: number): string {
  const near = nearest(name, known, most);
  return near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
}

/** Like {@link didYouMean}, for the middle of a sentence. */
export function inlineHint(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near.length > 0 ? ` (did you mean ${near.join(' or ')}?)` : '';
}

/** Most names that {@link namesHint} lists. */
const NAMES_LISTED_MAX = 20;

/**
 * Returns a sentence for the error about an unknown name, after a space: the nearest known names or, if none is near,
 * those that there are, sorted. Empty if there are none.
 */
export function namesHint(name: string, known: Iterable<string>): string {
  const all = [...new Set(known)].sort((a, b) => a.localeCompare(b));
  if (all.length === 0) return '';
  const listed = all.slice(0, NAMES_LISTED_MAX).join(', ');
  const more = all.length > NAMES_LISTED_MAX ? ` and ${all.length - NAMES_LISTED_MAX} more` : '';
  return didYouMean(name, all) || ` Known: ${listed}${more}.`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
