import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fromBuffer } from 'yauzl';
import { mailHouseConformance } from '../../../../src/contracts/conformance/delivery.ts';
import type { LetterReport, LetterSubmission } from '../../../../src/contracts/delivery.ts';
import { FILE_OBJECT } from '../../../../src/contracts/file-object.ts';
import { ProviderRegistry } from '../../../../src/kernel/ports/providers.ts';
import { LocalFolder } from '../../../../src/providers/file-object/local-folder/local-folder.ts';
import { csvRows } from '../../../../src/providers/delivery/folder/csv-rows.ts';
import { folderMailHouses } from '../../../../src/providers/delivery/folder/folder-type.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const root = temporaryFolder({ after });
const providers = new ProviderRegistry();
const files = new LocalFolder(root);
providers.register(FILE_OBJECT, 'Mail house', files);
const kind = folderMailHouses(providers);
const options = { Location: 'mail house', Path: '/outbox', AcknowledgmentPath: '/acknowledged', Duplex: false };
const house = kind.open({ id: 1, name: 'Test', options });

/** Returns the files of a zip file. */
function unzipped(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const found = new Map<string, Buffer>();
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('end', () => resolve(found));
      zip.on('entry', (entry: { fileName: string }) => {
        zip.openReadStream(entry as never, (failed, stream) => {
          if (failed) return reject(failed);
          const pieces: Buffer[] = [];
          stream.on('data', (piece: Buffer) => pieces.push(piece));
          stream.on('end', () => {
            found.set(entry.fileName, Buffer.concat(pieces));
            zip.readEntry();
          });
        });
      });
      zip.readEntry();
    });
  });
}

interface Manifest {
  readonly Letters: readonly {
    readonly Key: string;
    readonly File: string;
    readonly SHA256: string;
    readonly Name: string;
    readonly MailClass: string;
    readonly Pages: number;
  }[];
}

const submissions = (): string[] => {
  try {
    return readdirSync(join(root, 'outbox')).filter((name) => name.endsWith('.zip'));
  } catch {
    return [];
  }
};

async function arrived(key: string) {
  const all = [];
  for (const name of submissions()) {
    const content = await unzipped(readFileSync(join(root, 'outbox', name)));
    const manifest = JSON.parse(String(content.get('manifest.json'))) as Manifest;
    for (const { Key, File, SHA256, Name, MailClass, Pages } of manifest.Letters) {
      const hash = createHash('sha256')
        .update(content.get(File) ?? '')
        .digest('hex');
      assert.equal(hash, SHA256);
      if (Key === key) all.push({ hash, name: Name, mailClass: MailClass, pages: Pages });
    }
  }
  return all;
}

const csvOf = (reports: readonly LetterReport[]): string =>
  [
    'Key,State,Date,Reason,Tracking Number,Cost Cents',
    ...reports.map(({ key, state, date, reason = '', trackingNumber = '', costCents = '' }) =>
      [key, state, date, reason, trackingNumber, costCents]
        .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
        .join(','),
    ),
  ].join('\r\n');

describe('a mail house that reads a folder', () => {
  for (const { title, check } of mailHouseConformance)
    it(`DOC-12 ${title}`, () =>
      check({
        mailHouse: house,
        arrived,
        notice: (reports) => ({
          source: 'file',
          headers: {},
          fileName: 'status.csv',
          bytes: Buffer.from(csvOf(reports)),
          now: '2026-04-01T00:00:00.000Z',
        }),
        forget: async () => rmSync(join(root, 'outbox'), { recursive: true, force: true }),
      }));

  it('DOC-12 an interrupted submission leaves nothing that a reader could take for one', async () => {
    const before = submissions();
    const letters: LetterSubmission['letters'] = [
      {
        key: randomUUID(),
        to: { name: 'Anna', street: '12 Main St', city: 'Springfield', state: 'IL', postalCode: '62701' },
        mailClass: 'First class',
        pages: 1,
        file: {
          fileName: 'a.pdf',
          mime: 'application/pdf',
          size: 10,
          async *open() {
            yield Buffer.from('%PDF-');
            assert.deepEqual(submissions(), before, 'nothing is visible while it is written');
            throw new Error('the storage is gone');
          },
          async *part() {
            yield Buffer.alloc(0);
          },
        },
        hash: 'a'.repeat(64),
      },
    ];
    const broken = { key: 'broken', name: 'N', date: '2026-03-02T09:00:00.000Z', letters };
    assert.deepEqual(
      (await house.submit(broken)).map(({ status }) => status),
      ['unknown'],
    );
    assert.deepEqual(submissions(), before);
    const inquiry = await house.inquire([{ key: letters[0]?.key ?? '', submission: 'broken' }], NOW);
    assert.deepEqual(
      inquiry.map(({ status }) => status),
      ['absent'],
      'so that it can be submitted again',
    );
  });

  it('DOC-12 a submission that was acknowledged and removed is still known', async () => {
    async function* bytes() {
      yield Buffer.from('Key,State\n');
    }
    await files.write('/acknowledged/taken.csv', bytes());
    const key = randomUUID();
    const [answer] = await house.inquire([{ key, submission: 'taken' }], NOW);
    assert.ok(answer?.status === 'found' && answer.report.state === 'Submitted');
  });

  it('DOC-12 refuses folders that lead elsewhere, and one folder for both', () => {
    for (const more of [{ Path: 'outbox' }, { Path: '/' }, { AcknowledgmentPath: '/outbox' }, { LetterCents: 100_001 }])
      assert.throws(
        () => kind.validate({ id: 0, name: 'T', options: { ...options, ...more } }),
        { code: 'BAD_PARAMETER' },
        JSON.stringify(more),
      );
    kind.validate({ id: 0, name: 'T', options });
  });

  it('DOC-12 status files are read with quotes, line ends in cells, and byte order marks', async () => {
    assert.deepEqual(csvRows('a,"b ""c""\r\nd",\r\n\r\n1,2,3'), [
      ['a', 'b "c"\r\nd', ''],
      ['1', '2', '3'],
    ]);
    const key = randomUUID();
    const parse = async (fileName: string, text: string) =>
      (await house.parseNotice({ source: 'file', headers: {}, fileName, bytes: Buffer.from(text), now: NOW })).reports;
    assert.deepEqual(await parse('a.JSON', `\uFEFF{"key":"${key}","state":"mailed","date":"2099-01-01"}`), [
      { key, state: 'Mailed', date: NOW },
    ]);
    for (const [name, text] of [
      ['a.txt', 'Key,State'],
      ['a.csv', 'Letter,State\nx,Mailed'],
      ['a.json', '{'],
      ['a.json', `{"key":"${key}","state":"Lost"}`],
      ['a.csv', `Key,State,Date\n${key},Mailed,yesterday`],
    ] as const)
      await assert.rejects(async () => parse(name, text), { code: 'BAD_PARAMETER' }, text);
  });
});

const NOW = '2026-04-01T00:00:00.000Z';
