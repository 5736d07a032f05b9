import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import postgres from 'postgres';
import { browserMissing } from '../../support/browser/browser.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import type { CleanUp } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { wordPages } from '../../support/office-documents.ts';
import { libreOfficeMissing } from '../../support/peers/libreoffice.ts';
import { ADMINISTRATOR_KEY, startServerProcess, type ServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Long enough that its conversion is still going on when the server is killed. */
const PAGES = Array.from({ length: 60 }, (_, page) => `page ${page} `.repeat(200));

interface Plan {
  readonly fileName: string;
  readonly content: Buffer | string;
  /** What the command line of the program has that converts it. */
  readonly program: RegExp;
}

async function post(url: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(`${url}/api/${path}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Returns the command lines of the processes whose temporary files are in a folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ');
      } catch {
        // It has ended meanwhile.
        return '';
      }
    })
    .filter((line) => line.includes(folder));
}

/** Returns what is stored of documents: how many, how many finished and unfinished renditions, and how many files. */
async function stored(data: string): Promise<readonly number[]> {
  const host = join(data, 'postgres/socket');
  const sql = postgres({ host, path: `${host}/.s.PGSQL.5432`, user: 'casewright', database: 'casewright', max: 1 });
  try {
    const [row] = await sql<{ documents: number; finished: number }[]>`
      select (select count(*)::integer from attachment) as documents,
        (select count(*)::integer from documentrendition where filepath is not null) as finished`;
    // As if the time had passed after which the killed process is presumed dead.
    await sql`update documentrendition set leaseduntil = null where filepath is null`;
    return [row?.documents ?? 0, row?.finished ?? 0];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Kills a server while it converts a document; then starts it again, and converts it. */
async function killedConversion(t: CleanUp, { fileName, content, program }: Plan): Promise<void> {
  const data = await startedDataFolder(t);
  const scratch = join(temporaryFolder(t), 'scratch');
  mkdirSync(scratch);
  const start = (): Promise<ServerProcess> =>
    startServerProcess(t, { env: { CASEWRIGHT_DATA: data, TMPDIR: scratch, CASEWRIGHT_LOG_LEVEL: 'error' } });
  const server = await start();
  await post(server.url, 'setting/save', { Setting: 'ChromiumCommand', Value: chromiumPath() ?? '' });
  const Content = Buffer.from(content).toString('base64');
  const { AttachmentID: ID } = await post(server.url, 'attachment/save', { FileName: fileName, Content });
  const cut = post(server.url, 'attachment/convertsave', { ID }).then(
    () => 'answered',
    () => 'cut off',
  );
  await eventually('the program runs', () => processesIn(scratch).some((line) => program.test(line)), 60_000);
  server.signal('SIGKILL');
  await server.ended;
  assert.equal(await cut, 'cut off');
  // The guard of the folder kills the programs, then removes it up to five times while they still write.
  await eventually('its processes have ended', () => processesIn(scratch).length === 0, 60_000);
  await eventually('its folders are removed', () => readdirSync(scratch).length === 0, 60_000);

  const again = await start();
  assert.deepEqual(await stored(data), [1, 0]);
  const saved = await post(again.url, 'attachment/convertsave', { ID });
  assert.deepEqual(await post(again.url, 'attachment/convertsave', { ID }), saved);
  assert.deepEqual(await stored(data), [2, 1]);
  assert.equal(await again.stop(), 0);
  assert.deepEqual([processesIn(scratch), readdirSync(scratch)], [[], []]);
}

describe('a server killed during a conversion', () => {
  it(
    'DOC-08 leaves no process of LibreOffice, no folder and nothing half-saved',
    { skip: libreOfficeMissing },
    async (t) =>
      killedConversion(t, { fileName: 'a.docx', content: await wordPages(...PAGES), program: /soffice\.bin/ }),
  );

  it('DOC-08 leaves no process of Chromium, no folder and nothing half-saved', { skip: browserMissing }, async (t) => {
    const mail = `From: a@example.com\r\nSubject: Notices\r\n\r\n${PAGES.join('\r\n')}`;
    await killedConversion(t, { fileName: 'a.eml', content: mail, program: /--remote-debugging-pipe/ });
  });
});
