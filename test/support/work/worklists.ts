import assert from 'node:assert/strict';
import type { Caller, TestAnswer, TestPlatform } from '../platform.ts';

export type WorklistRow = Record<string, unknown>;

/** A user of a team. */
export interface Worker {
  readonly personId: number;
  readonly caller: Caller;
}

/** Queue operations of tests over HTTP. */
export interface WorklistCalls {
  ok(answer: Promise<TestAnswer>): Promise<WorklistRow>;
  /** Returns the error of a refused call: its code, and its field if there is one. */
  refused(answer: Promise<TestAnswer>, code: string, field?: string): Promise<WorklistRow>;
  save(module: string, body: object, caller?: Caller): Promise<WorklistRow>;
  select(module: string, id: unknown): Promise<WorklistRow>;
  call(route: string, body?: object, caller?: Caller): Promise<TestAnswer>;
  /** Creates a member of staff with a key. */
  worker(name: string, roles?: string): Promise<Worker>;
  /** Creates a team of persons, each with a priority in it or none. */
  team(name: string, members: readonly (readonly [personId: number, priority?: number])[]): Promise<number>;
  loan(fields?: object): Promise<number>;
  /** Creates a queue type with its open queue. */
  worklist(fields: object): Promise<{ readonly templateId: number; readonly id: number }>;
  /** Creates a work item, of a new loan unless a record is given. */
  item(worklistId: number, fields?: object): Promise<number>;
  /** Returns the caller's next item; undefined if there is none. */
  next(caller: Caller, worklist?: string): Promise<WorklistRow | undefined>;
  items(filters: string): Promise<WorklistRow[]>;
}

/** Binds the calls to a platform. */
export function worklistCalls(p: TestPlatform): WorklistCalls {
  let made = 0;
  const ok = async (answer: Promise<TestAnswer>): Promise<WorklistRow> => {
    const got = await answer;
    assert.equal(got.status, 200, got.text);
    return got.json();
  };
  const call: WorklistCalls['call'] = (route, body = {}, caller = p.admin) =>
    caller.post(`/api/${route}?Output=Json`, body);
  const save: WorklistCalls['save'] = (module, body, caller) => ok(call(`${module}/save`, body, caller));
  const loan: WorklistCalls['loan'] = async (fields = {}) =>
    Number((await save('loan', { Loan: String(400_000 + ++made), ...fields }))['LoanID']);
  return {
    ok,
    call,
    save,
    loan,
    async refused(answer, code, field) {
      const got = await answer;
      const error = (got.json() as never as { Error?: WorklistRow }).Error;
      assert.equal(error?.['Code'], code, got.text);
      if (field !== undefined) assert.equal(error?.['Field'], field, got.text);
      return error;
    },
    select: (module, id) => ok(p.admin.get(`/api/${module}/select?Output=Json&ID=${String(id)}`)),
    worker: (name, roles = 'Staff') => p.user(name, roles),
    async team(name, members) {
      const row = await save('collection', {
        Collection: name,
        SourceObject: 'Person',
        Members: members.map(([SourceObjectID, Priority]) => ({
          SourceObjectID,
          ...(Priority === undefined ? {} : { Priority }),
        })),
      });
      return Number(row['CollectionID']);
    },
    async worklist(fields) {
      const row = await ok(
        call('smartworklisttemplate/create', {
          SmartWorklistTemplate: `worklist ${++made}`,
          SourceObject: 'Loan',
          Calculate: false,
          ...fields,
        }),
      );
      return { templateId: Number(row['SmartWorklistTemplateID']), id: Number(row['SmartWorklistID']) };
    },
    async item(worklistId, fields = {}) {
      const row = await save('smartworklistmember', {
        SmartWorklistID: worklistId,
        SourceObject: 'Loan',
        ...('SourceObjectID' in fields ? {} : { SourceObjectID: await loan() }),
        ...fields,
      });
      return Number(row['SmartWorklistMemberID']);
    },
    async next(caller, worklist) {
      const from = worklist === undefined ? '' : `&SmartWorklist=${encodeURIComponent(worklist)}`;
      const got = await caller.get(`/api/smartworklistmember/next?Output=Json${from}`);
      if (got.status === 204) return undefined;
      assert.equal(got.status, 200, got.text);
      return got.json()['SmartWorklistMemberItem'];
    },
    async items(filters) {
      const body = await ok(
        p.admin.get(
          `/api/smartworklistmember/search?Output=Json&DisplaySize=1000&OrderBy=SmartWorklistMemberID&${filters}`,
        ),
      );
      return ((body['SmartWorklistMemberCollection'] as WorklistRow)['SmartWorklistMemberItem'] ?? []) as WorklistRow[];
    },
  };
}
