import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delimited, type EventValues } from '../../support/imports/events.ts';
import { eventually } from '../../support/eventually.ts';
import { killRounds, seeded, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

/** `npm run soak -- events` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_EVENT_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_124);
const ROWS = ROUNDS > 10 ? 100_000 : 30_000;
const LOANS = ROWS / 40;
/** One row in this many names a loan that does not exist. */
const FAILING = 100;
/** Each code for each loan: the number of distinct events; the other rows repeat them. */
const CODES = 20;

const headers = { 'X-ApiKey': ADMINISTRATOR_KEY };
const basic = {
  Authorization: `Basic ${Buffer.from('event.firm:a password of the firm').toString('base64')}`,
  SOAPAction: 'import',
  'Content-Type': 'text/plain; charset=UTF-8',
};
const codeOf = (n: number): string => `E${String(100 + n)}`;
const loanOf = (n: number): string => String(700_000_000 + n);
const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** Returns all events in an order shuffled by the seed, with the latest status code date of each loan. */
function makeFile(): { readonly text: string; readonly statuses: ReadonlyMap<string, string> } {
  const random = seeded(SEED);
  const statuses = new Map<string, { at: string; status: string }>();
  const rows = Array.from({ length: ROWS }, (_, n): EventValues => {
    const loan = Math.floor(random() * LOANS);
    const code = Math.floor(random() * CODES);
    const [month, day, hour] = [
      twoDigits(1 + Math.floor(random() * 12)),
      twoDigits(1 + Math.floor(random() * 28)),
      twoDigits(Math.floor(random() * 24)),
    ];
    const at = `2024-${month}-${day}T${hour}:${twoDigits(n % 60)}:${twoDigits(Math.floor(n / 60) % 60)}`;
    return {
      RecordType: 'EVENT',
      ProviderCode: 'KILLEVENTS',
      BusinessEventCode: codeOf(code),
      InvestorLoanNumberID: n % FAILING === 7 ? '799999999' : loanOf(loan),
      FCAttorneyFileID: `K-${loan}`,
      EventActualDate: at,
      ProcessorName: String(n),
    };
  });
  const last = new Map(
    rows.map((row, n) => [
      `${row['InvestorLoanNumberID'] ?? ''} ${row['FCAttorneyFileID'] ?? ''} ${row['BusinessEventCode'] ?? ''}`,
      n,
    ]),
  );
  for (const n of last.values()) {
    const row = rows[n] ?? {};
    const status = statusOf(row['BusinessEventCode'] ?? '');
    const loan = row['InvestorLoanNumberID'] ?? '';
    if (status === undefined || loan === '799999999') continue;
    const known = statuses.get(loan);
    const at = `${row['EventActualDate'] ?? ''} ${row['BusinessEventCode'] ?? ''}`;
    if (!known || at > known.at) statuses.set(loan, { at, status });
  }
  return { text: delimited(rows), statuses: new Map([...statuses].map(([loan, { status }]) => [loan, status])) };
}

const statusOf = (code: string): string | undefined => ({ E100: 'Open', E105: 'On Hold', E110: 'Review' })[code];

test(
  'EVT-01 EVT-04 EVT-05 IMP-15 an events file killed repeatedly continues at its first unfinished row: ' +
    'no event, log row or task is lost or duplicated, and the statuses are those of the last events',
  { timeout: ROUNDS * 90_000 + 300_000 },
  async (t) => {
    const file = makeFile();
    let importFileId = 0;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      millisecondsMax: ROUNDS > 10 ? 8_000 : 4_000,
      async workload({ url, signal }) {
        try {
          if (importFileId === 0) importFileId = await begin(url, file.text, signal);
          // The queue redelivers it once it notices that the worker is gone; this request takes it over at once.
          await fetch(`${url}/api/importfile/import?ID=${importFileId}`, { headers: basic, signal });
        } catch {
          // The server was killed.
        }
      },
      async verify(_url, sql) {
        if (importFileId === 0)
          [{ importfileid: importFileId } = { importfileid: 0 }] = await sql<
            { importfileid: number }[]
          >`select importfileid::integer from importfile where importfile = 'Kill_Events.csv' order by 1 limit 1`;
        if (importFileId > 0) await verify(sql, importFileId);
      },
      async finish(url) {
        if (importFileId === 0) importFileId = await begin(url, file.text);
        // The queue's own delivery may already be running: then this call leaves it to that.
        await (await fetch(`${url}/api/importfile/import?Output=Json&ID=${importFileId}`, { headers: basic })).text();
        await eventually(
          'the file is complete',
          async () =>
            (await json(url, `/api/importfile/select?Output=Json&ID=${importFileId}`))['Status'] === 'Complete',
          180_000,
        );
        const shown = await json(url, `/api/importfile/select?Output=Json&ID=${importFileId}`);
        assert.deepEqual([shown['SuccessCount'], shown['ErrorCount']], expected(file.text));
        const search = async (path: string): Promise<string> => (await fetch(`${url}/api/${path}`, { headers })).text();
        assert.match(
          await search(`importfile/progress?Output=Json&ID=${importFileId}`),
          new RegExp(`"RowsDone":${ROWS}`),
        );
        for (const loan of [0, 1, 2, 500, LOANS - 1].map(loanOf))
          assert.ok(
            (await search(`foreclosure/search?Foreclosure=K-${Number(loan) - 700_000_000}&SqlColumns=Status`)).includes(
              `<Status>${file.statuses.get(loan) ?? 'Open'}</Status>`,
            ),
            loan,
          );
      },
    });
  },
);

/** Events and failed rows of the file, counted from its text alone. */
function expected(text: string): [number, number] {
  const keys = new Set<string>();
  const failing = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const row = line.split('|');
    const key = `${row[19] ?? ''} ${row[2] ?? ''} ${row[53] ?? ''}`;
    (row[19] === '799999999' ? failing : keys).add(key);
  }
  return [keys.size, failing.size];
}

async function json(url: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(
    `${url}${path}`,
    body === undefined
      ? { headers }
      : { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
  );
  return JSON.parse(await response.text()) as Record<string, unknown>;
}

/** Creates the loans by an import that recognizes those of an earlier round. */
async function makeLoans(url: string, search: (path: string) => Promise<string>): Promise<void> {
  if (known(await search('loan/search?SqlColumns=LoanID&DisplaySize=1'), 'RecordCount') >= LOANS) return;
  const id =
    known(await search('importfiletemplate/search?ImportFileTemplate=Kill Loans'), 'ImportFileTemplateID') ||
    Number(
      (
        await json(url, '/api/importfiletemplate/save?Output=Json', {
          ImportFileTemplate: 'Kill Loans',
          AppliesTo: 'Loan',
          ImportEngine: 'DelimitedEngine',
        })
      )['ImportFileTemplateID'],
    );
  if (!(await search(`importfilemap/search?ImportFileTemplateID=${id}`)).includes('Agency')) {
    await json(url, '/api/importfilemap/save?Output=Json', {
      ImportFileTemplateID: id,
      ImportFileMap: 'Loan',
      ImportFileMapType: 'Key',
      Destination: 'Loan',
    });
    await json(url, '/api/importfilemap/save?Output=Json', {
      ImportFileTemplateID: id,
      ImportFileMap: 'Agency',
      Destination: 'Agency',
    });
  }
  const text = `Loan,Agency\n${Array.from({ length: LOANS }, (_, n) => `${loanOf(n)},INVESTOR`).join('\n')}\n`;
  const answer = await (
    await fetch(`${url}/api/importfile/importbyobject?TemplateID=${id}&PreTransform_FileName=loans.csv`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/csv' },
      body: text,
    })
  ).text();
  assert.match(answer, /Status="Complete"/);
}

const known = (text: string, name: string): number => Number(new RegExp(`"${name}":(\\d+)`).exec(text)?.[1] ?? 0);

/** Prepares the store and sends the file; skips what an earlier round already created. */
async function begin(url: string, text: string, signal?: AbortSignal): Promise<number> {
  const search = async (path: string): Promise<string> =>
    (await fetch(`${url}/api/${path}&Output=Json`, { headers })).text();
  const organization =
    known(await search('organization/search?ProviderCode=KILLEVENTS'), 'OrganizationID') ||
    Number(
      (
        await json(url, '/api/organization/save?Output=Json', {
          Organization: 'Kill Events',
          ProviderCode: 'KILLEVENTS',
        })
      )['OrganizationID'],
    );
  await json(url, '/api/setting/save?Output=Json', { Setting: 'InitialPasswordDays', Value: '0' });
  await json(url, '/api/person/save?Output=Json', {
    Person: 'event.firm',
    Password: 'a password of the firm',
    OrganizationID: organization,
    Roles: 'Partner',
  });
  for (let n = 0; n < CODES; n++) {
    if ((await search(`eventcode/search?EventCode=${codeOf(n)}`)).includes(codeOf(n))) continue;
    const task =
      known(await search(`importformtemplate/search?ImportFormTemplate=Task ${n}`), 'ImportFormTemplateID') ||
      Number(
        (
          await json(url, '/api/importformtemplate/save?Output=Json', {
            ImportFormTemplate: `Task ${n}`,
            AppliesTo: 'Foreclosure',
          })
        )['ImportFormTemplateID'],
      );
    await json(url, '/api/eventcode/save?Output=Json', {
      EventCode: codeOf(n),
      CaseKind: 'Foreclosure',
      ImportFormTemplateID: task,
      ...(statusOf(codeOf(n)) === undefined ? {} : { CaseStatus: statusOf(codeOf(n)) }),
    });
  }
  await makeLoans(url, search);
  const sent = await fetch(`${url}/api/import/legacyevents?PreTransform_FileName=Kill_Events.csv`, {
    method: 'POST',
    headers: basic,
    body: text,
    ...(signal ? { signal } : {}),
  });
  const answer = await sent.text();
  const id = Number(/<ImportFileID>(\d+)</.exec(answer)?.[1] ?? 0);
  assert.ok(id > 0, answer);
  return id;
}

/** At any moment the log, the events and the counts of the run agree, and nothing is duplicated. */
async function verify(sql: KillSql, importFileId: number): Promise<void> {
  const [found] = await sql<Record<string, number>[]>`
    select (select count(*)::integer from event where importfileid = ${importFileId}) as events,
      (select count(distinct sourceline)::integer from event where importfileid = ${importFileId}) as eventlines,
      (select count(distinct (loanid, businesseventcode))::integer from event
        where importfileid = ${importFileId}) as keys,
      (select count(*)::integer from importlog where importfileid = ${importFileId}) as logged,
      (select count(distinct sourceline)::integer from importlog where importfileid = ${importFileId}) as loggedlines,
      (select count(*)::integer from importlog where importfileid = ${importFileId}
        and operation = 'Insert') as inserted,
      (select count(*)::integer from importlog where importfileid = ${importFileId} and status = 'Error') as failed,
      (select count(*)::integer from importform) as tasks,
      (select count(distinct (objectid, importformtemplateid))::integer from importform) as steps,
      (select count(distinct importformid)::integer from event where importfileid = ${importFileId}) as completed,
      (select count(*)::integer from process) as cases,
      (select count(distinct (loanid, process))::integer from process) as numbers,
      coalesce((select done::integer from importrun where importfileid = ${importFileId}), 0) as done,
      coalesce((select success::integer from importrun where importfileid = ${importFileId}), 0) as success,
      coalesce((select errors::integer from importrun where importfileid = ${importFileId}), 0) as errors`;
  assert.ok(found);
  assert.equal(found['logged'], found['done'], 'a log row for each row that is done');
  assert.equal(found['logged'], found['loggedlines'], 'no row is logged twice');
  assert.deepEqual(
    [found['events'], found['eventlines'], found['keys']],
    [found['inserted'], found['inserted'], found['inserted']],
    'an event for each row that reports one, none twice',
  );
  assert.deepEqual([found['success'], found['errors']], [found['inserted'], found['failed']]);
  assert.deepEqual(
    [found['tasks'], found['completed']],
    [found['steps'], found['steps']],
    'each task once, and from an event',
  );
  assert.equal(found['cases'], found['numbers'], 'each case once');
}
