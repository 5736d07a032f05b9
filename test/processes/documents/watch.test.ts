import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { IMPORT_ENGINE } from '../../../src/contracts/import-engine.ts';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { linesEngine } from '../../support/imports/lines-engine.ts';
import { eventually } from '../../support/eventually.ts';
import { opensshServer, withoutOpensshServer } from '../../support/peers/openssh-server.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { s3Server } from '../../support/peers/s3-server.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const end = { after };
const sshd = withoutOpensshServer === false ? await opensshServer(end) : undefined;
const s3 = await s3Server(end);
const on = await testPlatform(end, { worker: true });
const { admin, platform, storagesFolder } = on;
platform.providers.register(IMPORT_ENGINE, 'LinesEngine', linesEngine());

async function ok(answer: Promise<{ status: number; text: string }>): Promise<Record<string, unknown>> {
  const { status, text } = await answer;
  assert.ok(status === 200 || status === 202, `${status} ${text.slice(0, 600)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function set(name: string, value: string): Promise<void> {
  const [known] = await platform.store.query<{ id: number }>(
    'select settingid as id from setting where setting = $1::text',
    [name],
  );
  await ok(
    admin.post('/api/setting/save?Output=Json', { ...(known ? { ID: known.id } : {}), Setting: name, Value: value }),
  );
}

await set('OutboundHttpLoopback', 'true');
await set('OutboundAllowedNetworks', '127.0.0.1');
const template = Number(
  (
    await ok(
      admin.post('/api/importfiletemplate/save?Output=Json', {
        ImportFileTemplate: 'Watched properties',
        AppliesTo: 'Property',
        ImportEngine: 'LinesEngine',
        QueueLabel: undefined,
      }),
    )
  )['ImportFileTemplateID'],
);

let made = 0;

/** Creates a location in its own folder. */
async function inbox(): Promise<{ name: string; folder: string }> {
  const name = `Inbox ${++made}`;
  const folder = join(storagesFolder, `inbox-${made}`);
  mkdirSync(folder);
  await ok(
    admin.post('/api/fileobject/save?Output=Json', {
      FileObject: name,
      FileObjectType: 'local',
      Folder: `inbox-${made}`,
    }),
  );
  return { name, folder };
}

/** Writes a file that its sender finished some time ago. */
function put(folder: string, path: string, content: string, secondsAgo = 3_600): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  const at = new Date(Date.now() - secondsAgo * 1_000);
  utimesSync(file, at, at);
}

const property = (address: string): string => `Address,City,PostalCode\n${address},Alder,01234\n`;

interface Watched {
  readonly Found: number;
  readonly Taken: number;
  readonly Waiting: number;
  readonly Failed: number;
  readonly Left: number;
  readonly AttachmentIDs?: string;
  readonly Alerts?: readonly { readonly Code: string; readonly Text?: string }[];
}

async function watch(
  fields: Record<string, unknown>,
  module = 'importfile',
  caller: Caller = admin,
): Promise<Watched & { readonly text: string }> {
  const { status, text } = await caller.post(`/api/${module}/watch?Output=Json`, fields);
  assert.equal(status, 200, text.slice(0, 600));
  return { ...(JSON.parse(text) as Watched), text };
}

const counts = ({ Found, Taken, Waiting, Failed, Left }: Watched): number[] => [Found, Taken, Waiting, Failed, Left];

async function properties(address: string): Promise<number> {
  return Number(
    (
      await platform.store.query<{ n: number }>(
        'select count(*)::integer as n from property where address = $1::text',
        [address],
      )
    )[0]?.n,
  );
}

interface Document {
  readonly id: number;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly location: string;
  readonly path: string;
  readonly sealed: boolean;
  readonly description: string | null;
}

const documentsNamed = (fileName: string): Promise<Document[]> =>
  platform.store.query<Document & Record<string, unknown>>(
    `select attachmentid as id, object, objectid as "objectId", fileobject as location, filepath as path, sealed,
     description
     from attachment
     where filename = $1::text
     order by attachmentid`,
    [fileName],
  );

const downloaded = async (id: number): Promise<string> => (await admin.get(`/api/attachment/download?ID=${id}`)).text;

describe('importfile/watch', () => {
  it('IMP-05 imports each found file once: import file, document that points to it, import', async () => {
    const { name, folder } = await inbox();
    put(folder, 'a.csv', property('1 Found Way'));
    put(folder, 'b.csv', property('2 Found Way'));
    const first = await watch({
      FileObject: name.toUpperCase(),
      Template: 'watchedproperties',
      Attachment_Description: 'from the inbox',
    });
    assert.deepEqual(counts(first), [2, 2, 0, 0, 0], first.text);
    const [document] = await documentsNamed('a.csv');
    assert.ok(document);
    assert.deepEqual(
      [document.object, document.location, document.path, document.sealed, document.description],
      ['ImportFile', name, '/a.csv', false, 'from the inbox'],
    );
    const file = await ok(admin.get(`/api/importfile/select?Output=Json&ID=${document.objectId}`));
    assert.deepEqual(
      [file['ImportFile'], file['Status'], file['PreTransformID'], file['SuccessCount'], file['ImportFileTemplateID']],
      ['a.csv', 'Complete', document.id, 1, template],
    );
    assert.ok(Number(document.objectId) > 0 && document.id > 0);
    assert.equal(await downloaded(document.id), property('1 Found Way'));
    assert.deepEqual(counts(await watch({ FileObject: name, Template: 'Watched properties' })), [2, 0, 0, 0, 0]);
    const other = await secondPlatform(end, on);
    other.platform.providers.register(IMPORT_ENGINE, 'LinesEngine', linesEngine());
    const key = (await on.user(`watcher ${made}`, 'Administrator')).key;
    const elsewhere = await fetch(
      `${other.url}/api/importfile/watch?Output=Json&FileObject=${encodeURIComponent(name)}&TemplateID=${template}`,
      { headers: { 'X-ApiKey': key } },
    );
    assert.deepEqual(counts((await elsewhere.json()) as Watched), [2, 0, 0, 0, 0]);
    assert.deepEqual([await properties('1 Found Way'), await properties('2 Found Way')], [1, 1]);
    assert.deepEqual(readdirSync(folder).sort(), ['a.csv', 'b.csv']);
  });

  it('IMP-05 filters by a mask, in folders down to a depth', async () => {
    const { name, folder } = await inbox();
    for (const path of [
      'in/one.CSV',
      'in/two.txt',
      'in/.hidden.csv',
      'in/deep/three.csv',
      'in/deep/deeper/four.csv',
      'five.csv',
    ])
      put(folder, path, property(`Mask ${path}`));
    assert.deepEqual(
      counts(await watch({ FileObject: name, Path: '/in', Pattern: '*.csv', TemplateID: template })),
      [1, 1, 0, 0, 0],
    );
    assert.deepEqual(
      counts(await watch({ FileObject: name, Path: '/in/', Pattern: '*.csv; t?o.*', Depth: 1, TemplateID: template })),
      [3, 2, 0, 0, 0],
    );
    assert.deepEqual(
      counts(await watch({ FileObject: name, Pattern: '*.csv', Depth: 9, TemplateID: template })),
      [4, 2, 0, 0, 0],
    );
    assert.equal(await properties('Mask in/.hidden.csv'), 0);
  });

  it('IMP-05 MoveTo copies each file to its destination, and removes it from its source; its document points to the copy', async () => {
    const [from, to] = [await inbox(), await inbox()];
    put(from.folder, 'moved.csv', property('1 Moved Way'));
    assert.deepEqual(
      counts(
        await watch({
          FileObject: from.name,
          TemplateID: template,
          MoveTo: to.name,
          ToPath: '/done/{Year}/{Object}-{ObjectID}/',
        }),
      ),
      [1, 1, 0, 0, 0],
    );
    const [document] = await documentsNamed('moved.csv');
    assert.ok(document);
    assert.deepEqual(
      [document.location, document.path],
      [to.name, `/done/${new Date().getUTCFullYear()}/ImportFile-${String(document.objectId)}/moved.csv`],
    );
    assert.equal(readFileSync(join(to.folder, document.path), 'utf8'), property('1 Moved Way'));
    assert.deepEqual(readdirSync(from.folder), [], 'the folder itself stays');
    assert.equal(await properties('1 Moved Way'), 1);
    // A moved file is gone; the same name with the same content is another delivery.
    put(from.folder, 'moved.csv', property('1 Moved Way'));
    assert.deepEqual(
      counts(await watch({ FileObject: from.name, TemplateID: template, MoveTo: to.name })),
      [1, 1, 0, 0, 0],
    );
    assert.equal((await documentsNamed('moved.csv')).length, 2);
  });

  it("IMP-05 TransferTo leaves the file where it was; in the platform's own storage the copy is sealed", async () => {
    const { name, folder } = await inbox();
    put(folder, 'kept.csv', property('900-11-2222 Sealed Way'));
    assert.deepEqual(
      counts(await watch({ FileObject: name, TemplateID: template, TransferTo: 'local' })),
      [1, 1, 0, 0, 0],
    );
    const [document] = await documentsNamed('kept.csv');
    assert.ok(document);
    assert.deepEqual([document.location, document.sealed], ['Local', true]);
    assert.match(document.path, /^\/ImportFile\/\d+\/[0-9a-f-]{36}\/kept\.csv$/);
    const stored: Uint8Array[] = [];
    for await (const piece of platform.providers.get(FILE_OBJECT, 'Local').read(document.path)) stored.push(piece);
    assert.doesNotMatch(Buffer.concat(stored).toString('latin1'), /Sealed Way/);
    assert.equal(await downloaded(document.id), property('900-11-2222 Sealed Way'));
    assert.ok(existsSync(join(folder, 'kept.csv')));
    assert.deepEqual(
      counts(await watch({ FileObject: name, TemplateID: template, TransferTo: 'local' })),
      [1, 0, 0, 0, 0],
    );
  });

  it('IMP-05 Async queues each import, in the given queue, as the same user', async () => {
    const { name, folder } = await inbox();
    put(folder, 'queued-1.csv', property('1 Queued Way'));
    put(folder, 'queued-2.csv', property('2 Queued Way'));
    await ok(admin.post('/api/queue/stop?Output=Json', { QueueName: 'Batch' }));
    assert.deepEqual(
      counts(await watch({ FileObject: name, TemplateID: template, Pattern: 'queued-1*', Queue: 'batch' })),
      [1, 1, 0, 0, 0],
    );
    const [document] = await documentsNamed('queued-1.csv');
    assert.equal(
      (await ok(admin.get(`/api/importfile/select?Output=Json&ID=${String(document?.objectId)}`)))['Status'],
      'Queued',
    );
    assert.equal(await properties('1 Queued Way'), 0);
    await ok(admin.post('/api/queue/start?Output=Json', { QueueName: 'Batch' }));
    await watch({ FileObject: name, TemplateID: template, Async: true });
    for (const n of [1, 2])
      await eventually(`import ${n} has run`, async () => (await properties(`${n} Queued Way`)) === 1);
    const unknown = await admin.post('/api/importfile/watch', {
      FileObject: name,
      TemplateID: template,
      Queue: 'NoSuchQueue',
    });
    assert.equal(unknown.status, 400, unknown.text);
  });

  it('IMP-05 calls the statement once with the documents of the files taken', async () => {
    const { name, folder } = await inbox();
    for (const n of [1, 2, 3]) put(folder, `stated-${n}.csv`, property(`${n} Stated Way`));
    const answer = await watch({
      FileObject: name,
      TemplateID: template,
      Statement: 'Attachment/TransferFile?FileObject=Local',
    });
    assert.deepEqual(counts(answer), [3, 3, 0, 0, 0], answer.text);
    for (const n of [1, 2, 3]) assert.equal((await documentsNamed(`stated-${n}.csv`))[0]?.location, 'Local');
    put(folder, 'stated-4.csv', property('4 Stated Way'));
    const wrong = await admin.post('/api/importfile/watch', {
      FileObject: name,
      TemplateID: template,
      Statement: 'Attachment/NoSuch',
    });
    assert.equal(wrong.status, 400, wrong.text);
    assert.equal((await documentsNamed('stated-4.csv')).length, 0, 'nothing was started');
    const failing = await watch({
      FileObject: name,
      TemplateID: template,
      Statement: 'Attachment/TransferFile?FileObject=Nowhere',
    });
    assert.match(failing.text, /Statement: No file-object provider is named Nowhere/);
    assert.equal(await properties('4 Stated Way'), 1);
    await watch({ FileObject: name, TemplateID: template, Statement: 'TransferFile?FileObject=Local' });
    assert.equal(
      (await documentsNamed('stated-4.csv'))[0]?.location,
      'Local',
      'it is called again for the files for which it failed',
    );
    assert.equal(await properties('4 Stated Way'), 1);
  });

  it('IMP-05 a file that may still be being written waits until it no longer changes', async () => {
    const { name, folder } = await inbox();
    await set('WatchSettleSeconds', '600');
    const pollWatch = async (): Promise<number[]> => counts(await watch({ FileObject: name, TemplateID: template }));
    put(folder, 'written.csv', 'Address,City,PostalCode\n', 0);
    assert.deepEqual(await pollWatch(), [1, 0, 1, 0, 0], 'it is too recent');
    // Its sender's clock says that it is old, but it has changed since the previous poll.
    put(folder, 'written.csv', property('1 Written Way'), 3_600);
    assert.deepEqual(await pollWatch(), [1, 0, 1, 0, 0], 'it has grown since');
    assert.deepEqual(await pollWatch(), [1, 1, 0, 0, 0]);
    // A clock that is ahead does not delay a file forever.
    put(folder, 'ahead.csv', property('2 Written Way'), -86_400);
    assert.deepEqual(await pollWatch(), [2, 0, 1, 0, 0]);
    await platform.store.query(
      "update watchedfile set changeddate = changeddate - interval '1 hour' where path = '/ahead.csv'",
    );
    assert.deepEqual(await pollWatch(), [2, 1, 0, 0, 0]);
    assert.deepEqual([await properties('1 Written Way'), await properties('2 Written Way')], [1, 1]);
    await set('WatchSettleSeconds', '5');
  });

  it('IMP-05 a file that replaced another is a new one; one that was only touched is not', async () => {
    const { name, folder } = await inbox();
    const pollWatch = async (): Promise<number[]> => counts(await watch({ FileObject: name, TemplateID: template }));
    put(folder, 'daily.csv', property('1 Daily Way'), 9_000);
    assert.deepEqual(await pollWatch(), [1, 1, 0, 0, 0]);
    put(folder, 'daily.csv', property('1 Daily Way'), 8_000);
    assert.deepEqual(await pollWatch(), [1, 0, 1, 0, 0]);
    assert.deepEqual(await pollWatch(), [1, 0, 0, 0, 0], 'its content is the same');
    put(folder, 'daily.csv', property('2 Daily Way'), 7_000);
    assert.deepEqual(
      [await pollWatch(), await pollWatch()],
      [
        [1, 0, 1, 0, 0],
        [1, 1, 0, 0, 0],
      ],
    );
    assert.deepEqual(
      [await properties('1 Daily Way'), await properties('2 Daily Way'), (await documentsNamed('daily.csv')).length],
      [1, 1, 2],
    );
  });

  /** Lets a location's files and expectations be as old as if hours had passed. */
  const passHours = async (name: string, hours: number): Promise<void> => {
    await platform.store.query(
      `update watchedfile set changeddate = changeddate - make_interval(hours => $2::integer),
         waitingdate = waitingdate - make_interval(hours => $2::integer)
       where location = $1::text`,
      [name, hours],
    );
    await platform.store.query(
      'update expectedfile set duedate = duedate - make_interval(hours => $2::integer) where location = $1::text',
      [name, hours],
    );
  };
  const operatorNotes = (text: string): Promise<readonly object[]> =>
    platform.store.query('select 1 from errorlog where position($1::text in errorlog) > 0', [text]);

  it('IMP-05 a file with other content each day is imported each day by one watch a day', async () => {
    const { name, folder } = await inbox();
    for (const day of [1, 2, 3, 4, 5]) {
      put(folder, 'nightly.csv', property(`${day} Nightly Way`), 7_200 - day);
      assert.deepEqual(counts(await watch({ FileObject: name, TemplateID: template })), [1, 1, 0, 0, 0], `day ${day}`);
      assert.equal(await properties(`${day} Nightly Way`), 1);
      await passHours(name, 24);
    }
  });

  it('IMP-05 a file that keeps changing is reported with each watch, and to operators once', async () => {
    const { name, folder } = await inbox();
    const alerts = async (): Promise<readonly string[]> => {
      const { Waiting, Alerts } = await watch({ FileObject: name, TemplateID: template });
      assert.equal(Waiting, 1);
      return (Alerts ?? []).map((alert) => alert.Code);
    };
    put(folder, 'endless.csv', 'Address\n', 0);
    assert.deepEqual(await alerts(), []);
    for (const round of [1, 2, 3]) {
      put(folder, 'endless.csv', `Address\n${'x'.repeat(round)}`, 0);
      await passHours(name, 1);
      assert.deepEqual(await alerts(), ['FILE_UNSETTLED']);
    }
    assert.equal((await operatorNotes('/endless.csv: the file has been changing')).length, 1);
    put(folder, 'endless.csv', property('1 Endless Way'));
    await passHours(name, 1);
    assert.deepEqual(counts(await watch({ FileObject: name, TemplateID: template })), [1, 1, 0, 0, 0]);
  });

  it('IMP-05 an expected file that has not come is reported once for each of its times, and a late one counts for the missed time', async () => {
    const { name, folder } = await inbox();
    const look = async (): Promise<readonly string[]> => {
      const { Alerts } = await watch({ FileObject: name, Template: 'Watched properties', ExpectedBy: 'Daily @ 7am' });
      return (Alerts ?? []).map((alert) => alert.Code);
    };
    const missing = ['FILE_EXPECTED'];
    assert.deepEqual(await look(), [], 'the first time is still to come');
    await passHours(name, 24);
    assert.deepEqual([await look(), await look()], [missing, []]);
    put(folder, 'late.csv', property('1 Expected Way'));
    assert.deepEqual(await look(), []);
    await passHours(name, 24);
    assert.deepEqual(await look(), missing, 'the late file was that of the day before');
    put(folder, 'later.csv', property('2 Expected Way'));
    put(folder, 'on-time.csv', property('3 Expected Way'));
    assert.deepEqual(await look(), []);
    await passHours(name, 72);
    assert.deepEqual([await look(), await look()], [[], []]);
    await passHours(name, 72);
    assert.deepEqual([await look(), await look()], [missing, []], 'three days without a watch are reported once');
    assert.equal((await operatorNotes(`/ of ${name}: no file named * came by`)).length, 3);
    const { status, text } = await admin.post('/api/importfile/watch', { FileObject: name, ExpectedBy: 'sometimes' });
    assert.equal(status, 400);
    assert.match(text, /ExpectedBy: expected a schedule such as/);
  });

  it('IMP-05 a file that fails does not stop the others, is reported, and is retried', async () => {
    const [from, to] = [await inbox(), await inbox()];
    for (const n of [1, 2, 3]) put(from.folder, `mixed-${n}.csv`, n === 2 ? '!no table' : property(`${n} Mixed Way`));
    // At the path of the first one's copy.
    put(to.folder, 'mixed-1.csv', 'another file');
    const first = await watch({ FileObject: from.name, TemplateID: template, MoveTo: to.name, ToPath: '/' });
    assert.deepEqual(counts(first), [3, 2, 0, 1, 0], first.text);
    assert.match(first.text, /\/mixed-1\.csv: Path: \/mixed-1\.csv exists already/);
    assert.match(first.text, /mixed-2\.csv: Validation Error/);
    assert.deepEqual(readdirSync(from.folder), ['mixed-1.csv']);
    assert.equal(await properties('3 Mixed Way'), 1);
    rmSync(join(to.folder, 'mixed-1.csv'));
    assert.deepEqual(
      counts(await watch({ FileObject: from.name, TemplateID: template, MoveTo: to.name, ToPath: '/' })).slice(1, 4),
      [1, 0, 0],
    );
    assert.deepEqual(
      [await properties('1 Mixed Way'), (await documentsNamed('mixed-1.csv')).length, readdirSync(from.folder).length],
      [1, 1, 0],
    );
  });

  it('IMP-05 takes a limited number of files at once, and the rest with the next call', async () => {
    const { name, folder } = await inbox();
    for (const n of [1, 2, 3, 4, 5]) put(folder, `many-${n}.csv`, property(`${n} Many Way`));
    await set('WatchFilesMax', '2');
    const runs: number[][] = [];
    for (let n = 0; n < 3; n++) runs.push(counts(await watch({ FileObject: name, TemplateID: template })));
    await set('WatchFilesMax', '1000');
    assert.deepEqual(runs, [
      [5, 2, 0, 0, 3],
      [5, 2, 0, 0, 1],
      [5, 1, 0, 0, 0],
    ]);
  });

  it('IMP-05 concurrent watches on two nodes take each file once', async () => {
    const [from, to] = [await inbox(), await inbox()];
    const other = await secondPlatform(end, on);
    other.platform.providers.register(IMPORT_ENGINE, 'LinesEngine', linesEngine());
    const { key } = await on.user(`racer ${made}`, 'Administrator');
    for (let n = 0; n < 24; n++) put(from.folder, `raced-${n}.csv`, property(`${n} Raced Way`));
    const body = new URLSearchParams({ FileObject: from.name, TemplateID: String(template), MoveTo: to.name });
    const call = (url: string): Promise<Response> =>
      fetch(`${url}/api/importfile/watch?Output=Json`, { method: 'POST', headers: { 'X-ApiKey': key }, body });
    const answers = await Promise.all([on.url, other.url, on.url, other.url].map(call));
    for (const answer of answers) assert.equal(answer.status, 200);
    const taken = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Watched).Taken));
    assert.equal(
      taken.reduce((sum, n) => sum + n, 0),
      24,
      taken.join(' '),
    );
    assert.deepEqual(readdirSync(from.folder), []);
    for (let n = 0; n < 24; n++)
      assert.deepEqual(
        [n, await properties(`${n} Raced Way`), (await documentsNamed(`raced-${n}.csv`)).length],
        [n, 1, 1],
      );
    assert.equal(
      (await platform.store.query('select 1 from watchedfile where location = $1::text', [from.name])).length,
      0,
    );
  });

  it('IMP-05 resumes wherever it was interrupted, and does nothing twice', async () => {
    const [from, to] = [await inbox(), await inbox()];
    await set('WatchLeaseSeconds', '0');
    const file = 'cut.csv';
    for (const state of ['Taken', 'Placed', 'Cleared', 'Imported', 'gone']) {
      const address = `${state} Cut Way`;
      put(from.folder, file, property(address));
      // The record of the step is lost, after its effect or with it, as if the process had died in between.
      await platform.store
        .script(`create function cut() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
        create trigger cut before ${state === 'gone' ? 'delete' : 'update'} on watchedfile
          for each row ${state === 'gone' ? '' : `when (new.state = '${state}')`} execute function cut()`);
      const request = { FileObject: from.name, TemplateID: template, MoveTo: to.name, ToPath: `/${state}/` };
      const cut = await admin.post('/api/importfile/watch?Output=Json', request);
      await platform.store.script('drop trigger cut on watchedfile; drop function cut()');
      assert.ok(cut.status === 500 || (JSON.parse(cut.text) as Watched).Failed === 1, cut.text);
      const next = await watch(request);
      assert.deepEqual([state, next.Taken, next.Failed], [state, 1, 0], next.text);
      assert.deepEqual(
        [state, await properties(address), readdirSync(join(to.folder, state)), existsSync(join(from.folder, file))],
        [state, 1, [file], false],
      );
      assert.deepEqual(counts(await watch(request)), [0, 0, 0, 0, 0]);
    }
    assert.equal((await documentsNamed(file)).length, 5);
    assert.equal((await platform.store.query("select 1 from importfile where importfile = 'cut.csv'")).length, 5);
    await set('WatchLeaseSeconds', '300');
  });

  it('IMP-05 a watch that lost a file to another one calls no statement for it, also if it removed the file', async () => {
    const [from, to] = [await inbox(), await inbox()];
    put(from.folder, 'lost.csv', property('1 Lost Way'));
    await platform.store.script(`create function lose() returns trigger language plpgsql as
        $$ begin new.leaseid := gen_random_uuid(); return new; end $$;
      create trigger lose before update on watchedfile
        for each row when (new.state = 'Imported') execute function lose()`);
    const request = {
      FileObject: from.name,
      TemplateID: template,
      MoveTo: to.name,
      Statement: 'Attachment/TransferFile?FileObject=Local',
    };
    await watch(request);
    await platform.store.script('drop trigger lose on watchedfile; drop function lose()');
    assert.equal((await documentsNamed('lost.csv'))[0]?.location, to.name, 'it is the other watch that calls it');
    await platform.store.query('update watchedfile set leaseduntil = null where location = $1::text', [from.name]);
    await watch(request);
    assert.equal((await documentsNamed('lost.csv'))[0]?.location, 'Local');
  });

  it('IMP-05 does not remove a file that has replaced the one that it took', async () => {
    const [from, to] = [await inbox(), await inbox()];
    put(from.folder, 'replaced.csv', property('1 Replaced Way'));
    await platform.store
      .script(`create function cut() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
      create trigger cut before update on watchedfile for each row when (new.state = 'Placed') execute function cut()`);
    await set('WatchLeaseSeconds', '0');
    const request = { FileObject: from.name, TemplateID: template, MoveTo: to.name };
    await watch(request);
    await platform.store.script('drop trigger cut on watchedfile; drop function cut()');
    put(from.folder, 'replaced.csv', property('2 Replaced Way'), 1_000);
    const next = await watch(request);
    assert.equal(next.Failed, 0, next.text);
    while (readdirSync(from.folder).length > 0) assert.equal((await watch(request)).Failed, 0);
    assert.deepEqual([await properties('1 Replaced Way'), await properties('2 Replaced Way')], [1, 1]);
    await set('WatchLeaseSeconds', '300');
  });

  it("IMP-05 ignores files that it moved into the folder that it watches, and the platform's own documents", async () => {
    const { name, folder } = await inbox();
    put(folder, 'loop.csv', property('1 Loop Way'));
    const request = { FileObject: name, Depth: 5, TemplateID: template, TransferTo: name, ToPath: '/done/' };
    assert.deepEqual(counts(await watch(request)), [1, 1, 0, 0, 0]);
    assert.deepEqual(
      [counts(await watch(request)), counts(await watch(request))],
      [
        [1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
      ],
    );
    assert.deepEqual(readdirSync(join(folder, 'done')), ['loop.csv']);
    // Moved to its current path, it stays.
    put(folder, 'still.csv', property('2 Loop Way'));
    await watch({ FileObject: name, TemplateID: template, Pattern: 'still*', MoveTo: name, ToPath: '/' });
    assert.deepEqual([existsSync(join(folder, 'still.csv')), await properties('2 Loop Way')], [true, 1]);
    assert.equal((await watch({ FileObject: 'Local', Depth: 9, TemplateID: template })).Found, 0);
  });

  it('IMP-05 refuses unknown names before it does anything', async () => {
    const { name, folder } = await inbox();
    put(folder, 'never.csv', property('1 Never Way'));
    const refused = async (fields: Record<string, unknown>, status: number, message: RegExp): Promise<void> => {
      const answer = await admin.post('/api/importfile/watch', { FileObject: name, ...fields });
      assert.deepEqual([answer.status, message.test(answer.text)], [status, true], answer.text);
    };
    await refused({ FileObject: 'Nowhere' }, 422, /No file-object provider is named Nowhere/);
    await refused({ TransferTo: 'Nowhere' }, 422, /named Nowhere/);
    await refused({ Template: 'No such template' }, 400, /template/i);
    await refused({ Path: '/../x' }, 400, /Path: expected an absolute path/);
    await refused({ Pattern: 'a/b' }, 400, /Pattern/);
    await refused({ Depth: -1 }, 400, /Depth/);
    await refused({ Mystery: 'x' }, 400, /Mystery/);
    await refused({ Attachment_Mystery: 'x' }, 400, /Mystery/);
    await refused({ Attachment_ID: 1 }, 400, /Attachment_ID/);
    await refused(
      { TemplateID: template, Attachment_Object: 'Loan', Attachment_ObjectID: 1 },
      400,
      /Attachment_Object/,
    );
    assert.equal((await platform.store.query('select 1 from watchedfile where location = $1::text', [name])).length, 0);
    // A firm's user cannot use the installation's locations, whatever its role grants.
    await ok(
      admin.post('/api/role/save?Output=Json', {
        Role: 'Watcher',
        Permissions: 'ImportFileWatch AttachmentWatch AttachmentTransferFile AttachmentCopyFile',
        UniversalAccess: false,
      }),
    );
    const { caller, organizationId } = await on.firm('a watching firm', 'Watcher');
    for (const path of ['importfile/watch', 'attachment/watch']) {
      const answer = await caller.post(`/api/${path}`, { FileObject: name });
      assert.deepEqual([answer.status, answer.text.includes('universal access')], [403, true], answer.text);
    }
    await ok(admin.post('/api/attachmenttemplate/save?Output=Json', { AttachmentTemplate: 'Any', Repeatable: 'Many' }));
    const own = await ok(
      admin.post('/api/attachment/save?Output=Json', {
        Object: 'Organization',
        ObjectID: organizationId,
        FileName: 'own.txt',
        Template: 'Any',
        Content: Buffer.from('its own').toString('base64'),
      }),
    );
    const transfer = await caller.post('/api/attachment/transferfile', { ID: own['AttachmentID'], FileObject: name });
    assert.deepEqual([transfer.status, transfer.text.includes('universal access')], [403, true], transfer.text);
  });

  it('IMP-05 watches repeatedly on a schedule', async () => {
    const { name, folder } = await inbox();
    put(folder, 'scheduled.csv', property('1 Scheduled Way'));
    const queued = await ok(
      admin.get(
        `/api/importfile/queue/watch?Output=Json&FileObject=${encodeURIComponent(name)}&TemplateID=${template}` +
          '&Attachment_Description=x',
      ),
    );
    await eventually('the queued watch has run', async () => (await properties('1 Scheduled Way')) === 1);
    assert.ok(queued['QueueMessageID']);
    const recurring = await ok(
      admin.get(
        `/api/importfile/queue/watch?Output=Json&FileObject=${encodeURIComponent(name)}&TemplateID=${template}` +
          `&ScheduleName=${encodeURIComponent('Daily at 3am')}`,
      ),
    );
    const status = await admin.get(`/api/queue/status?Output=Json&ID=${String(recurring['QueueMessageID'])}`);
    assert.match(status.text, /importfile\/watch/i);
  });
});

describe('watches over every type of storage', () => {
  const one = async function* (text: string): AsyncIterable<Uint8Array> {
    yield Buffer.from(text);
  };
  const kinds: readonly (readonly [string, Record<string, unknown>])[] = [
    ['database', { FileObjectType: 'database' }],
    [
      's3',
      {
        FileObjectType: 's3',
        Endpoint: s3.endpoint,
        Bucket: s3.bucket,
        AccessKeyID: s3.accessKeyId,
        SecretAccessKey: s3.secretAccessKey,
        Folder: 'arrivals',
      },
    ],
    [
      'sftp',
      {
        FileObjectType: 'sftp',
        Host: '127.0.0.1',
        Port: sshd?.port,
        UserName: sshd?.user,
        PrivateKey: sshd?.privateKey,
        HostKey: sshd?.fingerprint,
        Folder: sshd?.folder,
      },
    ],
  ];
  for (const [kind, fields] of kinds) {
    it(
      `IMP-05 DOC-11 takes files from ${kind}, downloads them from there, and moves them there`,
      { skip: kind === 'sftp' && withoutOpensshServer },
      async () => {
        const name = `Arrivals ${kind}`;
        await ok(admin.post('/api/fileobject/save?Output=Json', { FileObject: name, ...fields }));
        await platform.settings.fresh();
        const files = platform.providers.get(FILE_OBJECT, name);
        await files.write('/in/one.csv', one(property(`1 ${kind} Way`)));
        await files.write('/in/Zwei é.csv', one(property(`2 ${kind} Way`)));
        await set('WatchSettleSeconds', '0');
        const first = await watch({ FileObject: name, Path: '/in', Pattern: 'one*', TemplateID: template });
        assert.deepEqual(counts(first), [1, 1, 0, 0, 0], first.text);
        const document = (await documentsNamed('one.csv')).at(-1);
        assert.deepEqual([document?.location, await downloaded(document?.id ?? 0)], [name, property(`1 ${kind} Way`)]);
        const moved = await watch({
          FileObject: name,
          Path: '/in',
          Pattern: 'zwei*',
          TemplateID: template,
          MoveTo: name,
          ToPath: '/done/{Guid}/',
        });
        assert.deepEqual(counts(moved), [1, 1, 0, 0, 0], moved.text);
        const second = (await documentsNamed('Zwei é.csv')).at(-1);
        assert.match(second?.path ?? '', /^\/done\/[0-9a-f-]{36}\/Zwei é\.csv$/);
        assert.equal(await downloaded(second?.id ?? 0), property(`2 ${kind} Way`));
        assert.deepEqual(
          [await properties(`1 ${kind} Way`), await properties(`2 ${kind} Way`), await files.stat('/in/Zwei é.csv')],
          [1, 1, undefined],
        );
        await set('WatchSettleSeconds', '5');
      },
    );
  }

  it('IMP-05 a location that does not respond is reported, and nothing is lost', async () => {
    await ok(
      admin.post('/api/fileobject/save?Output=Json', {
        FileObject: 'Away',
        FileObjectType: 's3',
        Endpoint: 'http://127.0.0.1:1',
        Bucket: 'away',
        AccessKeyID: 'a',
        SecretAccessKey: 'b',
        TimeoutSeconds: 2,
      }),
    );
    const away = await admin.post('/api/importfile/watch', { FileObject: 'Away', TemplateID: template });
    assert.deepEqual(
      [away.status, away.text.includes('storage location Away cannot be reached')],
      [503, true],
      away.text,
    );
    const { name, folder } = await inbox();
    put(folder, 'stays.csv', property('1 Stays Way'));
    const failed = await watch({ FileObject: name, TemplateID: template, MoveTo: 'Away' });
    assert.deepEqual([failed.Failed, existsSync(join(folder, 'stays.csv'))], [1, true]);
    assert.match(failed.text, /\/stays\.csv: The storage location Away/);
  });
});

describe('attachment/watch', () => {
  it('DOC-06 DOC-16 creates a document from each found file once, on a record, and TransferTo copies it', async () => {
    const { name, folder } = await inbox();
    const loan = Number((await ok(admin.post('/api/loan/save?Output=Json', { Loan: '700000001' })))['LoanID']);
    put(folder, 'deed.txt', 'the deed');
    put(folder, 'note.txt', 'the note');
    const first = await watch(
      { FileObject: name, Path: '/', TransferTo: 'Local', Object: 'Loan', ObjectID: loan, Description: 'found' },
      'attachment',
    );
    assert.deepEqual([...counts(first), first.AttachmentIDs?.split(',').length], [2, 2, 0, 0, 0, 2], first.text);
    const [document] = await documentsNamed('deed.txt');
    assert.ok(document);
    assert.deepEqual(
      [document.object, document.objectId, document.location, document.sealed, document.description],
      ['Loan', loan, 'Local', false, 'found'],
    );
    assert.equal(await downloaded(document.id), 'the deed');
    assert.deepEqual(counts(await watch({ FileObject: name, TransferTo: 'Local' }, 'attachment')), [2, 0, 0, 0, 0]);
    // The first watch takes a file, whatever it becomes.
    assert.deepEqual(counts(await watch({ FileObject: name, TemplateID: template })), [2, 0, 0, 0, 0]);
  });

  it('DOC-16 with Object alone a file belongs to the record that its folder names', async () => {
    const { name, folder } = await inbox();
    const loan = Number((await ok(admin.post('/api/loan/save?Output=Json', { Loan: '700000002' })))['LoanID']);
    put(folder, `${loan}/page.txt`, 'a page');
    put(folder, 'astray/page.txt', 'astray');
    put(folder, '999999999/page.txt', 'nowhere');
    const answer = await watch({ FileObject: name, Depth: 1, Object: 'Loan' }, 'attachment');
    assert.deepEqual(counts(answer), [3, 1, 0, 2, 0], answer.text);
    assert.deepEqual(
      (await documentsNamed('page.txt')).map(({ object, objectId }) => [object, objectId]),
      [['Loan', loan]],
    );
  });

  it('DOC-06 importfile/watch without a template creates documents as well', async () => {
    const { name, folder } = await inbox();
    put(folder, 'plain.txt', 'plain');
    assert.deepEqual(
      counts(await watch({ FileObject: name, MoveTo: 'Local', Attachment_Description: 'without a template' })),
      [1, 1, 0, 0, 0],
    );
    const [document] = await documentsNamed('plain.txt');
    assert.deepEqual(
      [document?.location, document?.sealed, document?.description, readdirSync(folder)],
      ['Local', false, 'without a template', []],
    );
    assert.equal(statSync(folder).isDirectory(), true);
  });
});
