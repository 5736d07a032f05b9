import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

/** `npm run soak -- imports` runs more rounds on more rows. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_IMPORT_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
const ROWS = ROUNDS > 10 ? 100_000 : 4_000;
/** One row in this many fails. */
const FAILING = 50;

const headers = { 'X-ApiKey': ADMINISTRATOR_KEY };

async function json(url: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(
    `${url}${path}`,
    body === undefined
      ? { headers }
      : { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
  );
  return JSON.parse(await response.text()) as Record<string, unknown>;
}

/** Properties, without anything by which a repeated row would be recognized. */
const rows = (): string =>
  `Address,City,Units\n` +
  `${Array.from({ length: ROWS }, (_, n) => `${n} Kill Rd,Alder,${n % FAILING === 7 ? 'many' : '1'}`).join('\n')}\n`;

test(
  'IMP-15 an import killed repeatedly continues at its first unfinished row: none is lost, none is duplicated, ' +
    'and the counts are right',
  { timeout: ROUNDS * 60_000 + 240_000 },
  async (t) => {
    let importFileId = 0;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      millisecondsMax: ROUNDS > 10 ? 6_000 : 2_500,
      async workload({ url, signal }) {
        try {
          if (importFileId === 0) importFileId = await begin(url, signal);
          // The queue redelivers it once it notices that the worker is gone; this request takes it over at once.
          await fetch(`${url}/api/importfile/import?ID=${importFileId}`, { headers, signal });
        } catch {
          // The server was killed.
        }
      },
      async verify(_url, sql) {
        if (importFileId === 0)
          [{ importfileid: importFileId } = { importfileid: 0 }] = await sql<
            { importfileid: number }[]
          >`select importfileid::integer from importfile order by 1 limit 1`;
        if (importFileId > 0) await verify(sql, importFileId);
      },
      async finish(url) {
        if (importFileId === 0) importFileId = await begin(url);
        await json(url, `/api/importfile/import?Output=Json&ID=${importFileId}`);
        // The queue may have delivered it by now; then the call answers that the import is running.
        const file = await eventually(
          'the import is complete',
          async () => {
            const now = await json(url, `/api/importfile/select?Output=Json&ID=${importFileId}`);
            return now['Status'] === 'Complete' ? now : undefined;
          },
          90_000,
        );
        const failing = Math.ceil((ROWS - 7) / FAILING);
        assert.deepEqual([file['SuccessCount'], file['ErrorCount']], [ROWS - failing, failing]);
        const progress = await json(url, `/api/importfile/progress?Output=Json&ID=${importFileId}`);
        assert.equal(progress['RowsDone'], ROWS);
      },
    });
  },
);

/** Sends the file; skips what an earlier round already created. */
async function begin(url: string, signal?: AbortSignal): Promise<number> {
  const template = await json(url, '/api/importfiletemplate/save?Output=Json', {
    ImportFileTemplate: 'Kill',
    AppliesTo: 'Property',
    ImportEngine: 'DelimitedEngine',
    Async: true,
  });
  const id =
    template['ImportFileTemplateID'] ??
    (
      (await json(
        url,
        '/api/importfiletemplate/search?Output=Json&ImportFileTemplate=Kill&SqlColumns=ImportFileTemplateID' +
          '&RecordCount=false',
      )) as never as { ImportFileTemplateCollection: { ImportFileTemplateItem: { ImportFileTemplateID: number }[] } }
    ).ImportFileTemplateCollection.ImportFileTemplateItem[0]?.ImportFileTemplateID;
  for (const [n, map] of [
    { ImportFileMap: 'Address', Destination: 'Address' },
    { ImportFileMap: 'City', Destination: 'City' },
    { ImportFileMap: 'Units', Destination: 'County', DataType: 'Integer' },
  ].entries())
    await json(url, '/api/importfilemap/save?Output=Json', { ImportFileTemplateID: id, Sequence: n, ...map });
  const sent = await fetch(
    `${url}/api/importfile/importbyobject?Output=Json&TemplateID=${String(id)}&PreTransform_FileName=kill.csv`,
    {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/csv' },
      body: rows(),
      ...(signal ? { signal } : {}),
    },
  );
  const answer = JSON.parse(await sent.text()) as Record<string, unknown>;
  assert.ok(Number(answer['ImportFileID']) > 0, JSON.stringify(answer));
  return Number(answer['ImportFileID']);
}

/** At any moment there are as many records as log rows that report one, and as many as the run counts. */
async function verify(sql: KillSql, importFileId: number): Promise<void> {
  const [found] = await sql<Record<string, number>[]>`
    select (select count(*)::integer from property where address collate "C" like '% Kill Rd') as properties,
      (select count(distinct address)::integer from property where address collate "C" like '% Kill Rd') as addresses,
      (select count(*)::integer from importlog where importfileid = ${importFileId} and status = 'Success') as saved,
      (select count(*)::integer from importlog where importfileid = ${importFileId} and status = 'Error') as failed,
      (select count(distinct sourceline)::integer from importlog where importfileid = ${importFileId}) as lines,
      coalesce((select done::integer from importrun where importfileid = ${importFileId}), 0) as done,
      coalesce((select success::integer from importrun where importfileid = ${importFileId}), 0) as success,
      coalesce((select errors::integer from importrun where importfileid = ${importFileId}), 0) as errors`;
  assert.ok(found);
  assert.equal(found['properties'], found['addresses'], 'no row was imported twice');
  assert.equal(found['properties'], found['saved']);
  assert.deepEqual([found['saved'], found['failed']], [found['success'], found['errors']]);
  assert.equal(Number(found['saved']) + Number(found['failed']), found['done']);
  assert.equal(found['lines'], found['done']);
}
