import assert from 'node:assert/strict';
import { event } from '../../../src/modules/cases/records/event.record.ts';
import { eventually } from '../eventually.ts';
import type { Caller, TestAnswer, TestPlatform } from '../platform.ts';
import { searchRows } from './referrals.ts';

/** The columns of the layout, in order. */
export const layoutNames: readonly string[] = Object.keys(event.fields).slice(0, 110);

/** An event as its non-empty columns. */
export type EventValues = Readonly<Record<string, string>>;

/** Returns the values of a row in order. */
export function cells(values: EventValues): string[] {
  for (const name of Object.keys(values)) assert.ok(layoutNames.includes(name), name);
  return layoutNames.map((name) => values[name] ?? '');
}

/** Returns events as delimited text. */
export function delimited(events: readonly EventValues[], delimiter = '|'): string {
  const cell = (value: string): string =>
    value.includes(delimiter) || /["\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  return events.map((values) => `${cells(values).map(cell).join(delimiter)}\n`).join('');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns events as XML, with every element of the layout. */
export function xmlOf(events: readonly EventValues[], declaration = '<?xml version="1.0" encoding="utf-8"?>'): string {
  const body = (values: EventValues): string =>
    `<Body>${cells(values)
      .map((value, place) => `<${layoutNames[place] ?? ''}>${escaped(value)}</${layoutNames[place] ?? ''}>`)
      .join('')}</Body>`;
  return `${declaration}\n<Events>\n${events.map(body).join('\n')}\n</Events>\n`;
}

/** Definition of an event code in tests. */
export interface TestCode {
  readonly code: string;
  readonly kind?: string;
  readonly task?: string;
  readonly taskDate?: 'Actual' | 'Projected';
  readonly status?: string;
  readonly delay?: string;
}

/** Codes that most tests use. */
export const testCodes: readonly TestCode[] = [
  { code: 'E0100', kind: 'Foreclosure', task: 'Referral Received', status: 'Open' },
  { code: 'E0200', kind: 'Foreclosure', status: 'On Hold' },
  { code: 'E0290', kind: 'Foreclosure', task: 'Complaint Filed' },
  { code: 'E0295', kind: 'Foreclosure', task: 'Sale Held', taskDate: 'Projected' },
  { code: 'E0299', kind: 'Foreclosure', task: 'File Closed', status: 'Closed' },
  { code: 'E0300', kind: 'Bankruptcy', task: 'Proof of Claim Filed', status: 'Open' },
  { code: 'E0310', kind: 'Delay', delay: 'Court Delay' },
  { code: 'E0400', kind: 'Loan' },
];

/** Saves codes with their templates, as an administrator does. */
export async function saveCodes(admin: Caller, codes: readonly TestCode[] = testCodes): Promise<void> {
  const save = async (path: string, values: object): Promise<Record<string, unknown>> => {
    const answer = await admin.post(`/api/${path}?Output=Json`, values);
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  };
  const templates = new Map<string, unknown>();
  for (const { code, kind, task, taskDate, status, delay } of codes) {
    if (task !== undefined && !templates.has(task))
      templates.set(
        task,
        (await save('importformtemplate/save', { ImportFormTemplate: task, AppliesTo: kind, Repeatable: 'One' }))[
          'ImportFormTemplateID'
        ],
      );
    if (delay !== undefined && !templates.has(delay))
      templates.set(
        delay,
        (await save('decisiondelaytemplate/save', { DecisionDelayTemplate: delay, AppliesTo: 'Loan' }))[
          'DecisionDelayTemplateID'
        ],
      );
    await save('eventcode/save', {
      EventCode: code,
      CaseKind: kind,
      CaseStatus: status,
      ...(task === undefined ? {} : { ImportFormTemplateID: templates.get(task) }),
      ...(delay === undefined ? {} : { DecisionDelayTemplateID: templates.get(delay) }),
      ...(taskDate === undefined ? {} : { TaskDate: taskDate }),
    });
  }
}

/** A row of the log. */
export interface LogRow {
  readonly Status: string;
  readonly Operation: string;
  readonly Message?: string;
  readonly SourceLine: number;
  readonly ObjectID?: number;
  readonly Object: string;
}

/** An imported file. */
export interface ImportedFile {
  /** The answer to the upload. */
  readonly answer: TestAnswer;
  readonly id: number;
  readonly row: Record<string, unknown>;
  /** All rows of its log, in line order. */
  readonly log: readonly LogRow[];
}

/** Sends an events file and waits until it is imported. The platform must have a worker. */
export async function sendEvents(
  on: TestPlatform,
  caller: Caller,
  body: string | Uint8Array,
  name = 'Firm_Events.csv',
): Promise<ImportedFile> {
  const answer = await caller.post(`/api/import/legacyevents?PreTransform_FileName=${encodeURIComponent(name)}`, body, {
    'Content-Type': 'text/plain; charset=UTF-8',
  });
  assert.equal(answer.status, 200, answer.text);
  const id = Number(/<ImportFileID>(\d+)</.exec(answer.text)?.[1]);
  const row = await eventually(
    `import file ${id} is imported`,
    async () => {
      const [found] = await on.platform.store.query<{ status: string } & Record<string, unknown>>(
        'select * from importfile where importfileid = $1::bigint',
        [id],
      );
      return found !== undefined && !['New', 'Queued', 'Importing'].includes(found.status) && found;
    },
    120_000,
  );
  const log = (await searchRows(
    on.admin,
    `importlog/search?ImportFileID=${id}&OrderBy=SourceLine,ImportLogID&DisplaySize=1000`,
  )) as unknown as LogRow[];
  return { answer, id, row, log };
}

/** Creates loans by number, as staff. Returns their IDs. */
export async function makeLoans(on: TestPlatform, numbers: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const Loan of numbers) {
    const answer = await on.admin.post('/api/loan/save?Output=Json', { Loan, Agency: 'INVESTOR' });
    assert.equal(answer.status, 200, answer.text);
    ids.push(Number(answer.json()['LoanID']));
  }
  return ids;
}
