import assert from 'node:assert/strict';
import type { Caller, TestAnswer, TestPlatform } from '../platform.ts';

type Body = Record<string, unknown>;

/** An error as returned. */
export interface Refusal {
  readonly status: number;
  readonly Code: string;
  readonly Field?: string;
  readonly Message: string;
}

/** A scorecard that a test created, with the IDs of its items by safe name. */
export interface MadeTemplate {
  readonly id: number;
  readonly name: string;
  readonly items: Readonly<Record<string, number>>;
}

/** Score operations of tests over HTTP. */
export interface ScoreCalls {
  post(path: string, body: object, caller?: Caller): Promise<Body>;
  get(path: string): Promise<Body>;
  send(path: string, body: object, caller?: Caller): Promise<TestAnswer>;
  /** Makes a call that must be refused. */
  refused(path: string, body: object, caller?: Caller): Promise<Refusal>;
  newTemplate(values: object, items?: readonly object[]): Promise<MadeTemplate>;
  newLoan(values?: object): Promise<number>;
  calculate(template: MadeTemplate, loan: number, more?: string): Promise<Body>;
  /** Returns a score's items by name. */
  itemsOf(scoreId: unknown): Promise<Record<string, Body>>;
  countOf(from: string, ...params: unknown[]): Promise<number>;
}

/** Returns the rows of a list's JSON answer. */
export function rowsOf(body: Body): Body[] {
  return Object.values(Object.values(body)[0] as Record<string, Body[]>)[0] ?? [];
}

/** Returns an item whose value is money. */
export function money(name: string, more: object = {}): object {
  return { ScoreItemTemplate: name, ValueType: 'Money', ...more };
}

/** Binds the calls to a platform. */
export function scoreCalls(on: TestPlatform): ScoreCalls {
  let templates = 0;
  let loans = 0;
  const send: ScoreCalls['send'] = (path, body, caller = on.admin) =>
    caller.post(`/api/${path}${path.includes('?') ? '&' : '?'}Output=Json`, body);
  const post: ScoreCalls['post'] = async (path, body, caller) => {
    const answer = await send(path, body, caller);
    assert.equal(answer.status, 200, `${path} ${JSON.stringify(body).slice(0, 300)}: ${answer.text}`);
    return answer.json();
  };
  const get: ScoreCalls['get'] = async (path) => {
    const answer = await on.admin.get(`/api/${path}${path.includes('?') ? '&' : '?'}Output=Json`);
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.json();
  };
  return {
    send,
    post,
    get,
    async refused(path, body, caller) {
      const answer = await send(path, body, caller);
      assert.notEqual(answer.status, 200, `${path} ${JSON.stringify(body).slice(0, 300)}: ${answer.text}`);
      return { status: answer.status, ...(answer.json() as never as { Error: Omit<Refusal, 'status'> }).Error };
    },
    async newTemplate(values, items = []) {
      const name = `Kind ${++templates}`;
      const id = Number(
        (await post('scoretemplate/save', { ScoreTemplate: name, AppliesTo: 'Loan', ...values }))['ScoreTemplateID'],
      );
      const ids: Record<string, number> = {};
      for (const [n, item] of items.entries()) {
        const row = await post('scoreitemtemplate/save', { ScoreTemplateID: id, Sequence: n + 1, ...item });
        ids[String(row['SafeName'])] = Number(row['ScoreItemTemplateID']);
      }
      return { id, name, items: ids };
    },
    newLoan: async (values = {}) =>
      Number((await post('loan/save', { Loan: String(810_000_000 + ++loans), ...values }))['LoanID']),
    calculate: (template, loan, more = '') =>
      get(`score/calculate?Template=${encodeURIComponent(template.name)}&Object=Loan&ObjectID=${loan}${more}`),
    itemsOf: async (scoreId) =>
      Object.fromEntries(
        rowsOf(await get(`scoreitem/search?ScoreID=${String(scoreId)}&DisplaySize=1000&OrderBy=ScoreItemID`)).map(
          (row) => [String(row['ScoreItem']), row],
        ),
      ),
    countOf: async (from, ...params) =>
      Number(
        (await on.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${from}`, params))[0]?.n,
      ),
  };
}
