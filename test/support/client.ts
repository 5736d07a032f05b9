/** Operation calls for tests, with their two outcomes: an answer or a refusal. */
import assert from 'node:assert/strict';
import type { Caller, TestAnswer, TestPlatform } from './platform.ts';

/** A JSON object of an answer, its values by their names on the wire. */
export type Row = Record<string, unknown>;

/** The error of a refused call. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The parameter or field that the refusal is about; empty if it names none. */
  readonly field: string;
  readonly message: string;
  /** The whole error, with the code's further details. */
  readonly error: Row;
}

/** The calls of one user. Parameters are sent as a JSON body; `Output=Json` is added. */
export interface Client {
  readonly caller: Caller;
  /** Sends a call and returns the answer, whatever it is. */
  send(route: string, parameters?: object): Promise<TestAnswer>;
  /** Returns the body of the answer; fails unless the call succeeds. */
  expectOk(route: string, parameters?: object): Promise<Row>;
  /** Returns the rows of the answer's collection; fails unless the call succeeds. */
  expectRows(route: string, parameters?: object): Promise<Row[]>;
  /** Returns the refusal; fails if the call succeeds, or is refused with another code or for another field. */
  expectRefused(route: string, parameters: object, code: string, field?: string): Promise<Refusal>;
  /** Saves a record and returns the body of the answer. */
  save(module: string, fields: object): Promise<Row>;
  /** Returns a record as `select` does. */
  select(module: string, id: unknown): Promise<Row>;
}

/**
 * Returns the calls of a user of the platform, the administrator unless another is given.
 *
 * @example
 * const admin = client(p);
 * const { ContactID } = await admin.save('contact', { LastName: 'Miller' });
 * await admin.expectRefused('contact/save', { ID: ContactID, State: 'XX' }, 'BAD_PARAMETER', 'State');
 */
export function client(p: TestPlatform, caller: Caller = p.admin): Client {
  const send = (route: string, parameters: object = {}): Promise<TestAnswer> =>
    caller.post(`/api/${route}?Output=Json`, parameters);
  const ok = (route: string, parameters?: object): Promise<Row> => expectOk(send(route, parameters));
  return {
    caller,
    send,
    expectOk: ok,
    expectRows: async (route, parameters) => rowsOf(await ok(route, parameters)),
    expectRefused: (route, parameters, code, field) => expectRefused(send(route, parameters), code, field),
    save: (module, fields) => ok(`${module}/save`, fields),
    select: (module, id) => ok(`${module}/select`, { ID: id }),
  };
}

/** Returns the body of an answer; fails with the answer's text unless it has status 200. */
export async function expectOk(answer: Promise<TestAnswer>): Promise<Row> {
  const { status, text, json } = await answer;
  assert.equal(status, 200, text);
  return json();
}

/** Returns the refusal in an answer; fails if there is none, or if its code, field or message differs. */
export async function expectRefused(
  answer: Promise<TestAnswer>,
  code: string,
  field?: string,
  message?: RegExp,
): Promise<Refusal> {
  const { status, text, json } = await answer;
  assert.notEqual(status, 200, text);
  const error = (json()['Error'] ?? {}) as Row;
  const refusal = {
    status,
    code: String(error['Code'] ?? ''),
    field: String(error['Field'] ?? ''),
    message: String(error['Message'] ?? ''),
    error,
  };
  assert.equal(refusal.code, code, text);
  if (field !== undefined) assert.equal(refusal.field, field, text);
  if (message !== undefined) assert.match(refusal.message, message);
  return refusal;
}

/** Returns the rows of a body that consists of one collection, such as `{ LoanCollection: { LoanItem: […] } }`. */
export function rowsOf(body: Row): Row[] {
  const [collection] = Object.values(body) as Record<string, Row[]>[];
  return (collection && Object.values(collection)[0]) ?? [];
}
