import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { FILE_OBJECT } from '../../contracts/file-object.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { redateSubmission } from '../../modules/documents/public/demo-mailing.ts';
import { watchSettleSeconds } from '../../modules/documents/fileobject/settings.ts';
import type { DemoUser } from './demo-user.ts';
import type { Stage } from './play-case.ts';

interface SampleLetter {
  readonly name: string;
  readonly description: string;
  readonly appliesTo: string;
  readonly method?: string;
  readonly generator: string;
  readonly options: string;
  readonly file: string;
}

/** A report of the mail house about a letter. */
interface PlayedReport {
  readonly state: 'Mailed' | 'Delivered' | 'Returned';
  /** Days before the present. */
  readonly daysAgo: number;
  readonly reason?: string;
}

const DAY = 86_400_000;
const MAIL_HOUSE = 'Granby Print and Mail';
const MAILED = 'Notice of referral';
/** The names of the two mailings. */
const SUBMITTED = 'Notices of referral';
const PREPARED = 'Notices of referral to be submitted';
/** Where the mail house leaves its reports, in the first storage location. */
const STATUS_PATH = '/mail-house/status';
const STATUS_FILE = `${STATUS_PATH}/notices-of-referral.csv`;
/** When the mailing was submitted, in days before the present. */
const SUBMITTED_DAYS = 9;
/** Letters of the mailing that waits to be submitted. */
const PREPARED_LETTERS = 2;
/** States of letters that are not submitted yet; while they are transmitted, letters are unknown. */
const UNSENT: ReadonlySet<string> = new Set(['Prepared', 'Queued', 'Unknown']);
/** How long to wait for a worker that submits the mailing at the same time, and how often to look. */
const SUBMIT_MILLISECONDS = { most: 10_000, step: 100 } as const;

/** What the mail house reports about each letter of the mailing, in their order. */
const reports: readonly (readonly PlayedReport[])[] = [
  [],
  [{ state: 'Mailed', daysAgo: 8 }],
  [
    { state: 'Mailed', daysAgo: 8 },
    { state: 'Delivered', daysAgo: 5 },
  ],
  [
    { state: 'Mailed', daysAgo: 8 },
    { state: 'Returned', daysAgo: 3, reason: 'Not deliverable as addressed, unable to forward' },
  ],
];

const samples = new URL('../../../samples/letters/', import.meta.url);

/** Creates the document types of the demo that are not there yet, with their templates. */
export async function createLetterTypes({ admin }: { readonly admin: DemoUser }): Promise<void> {
  const { rows } = await admin.call('attachmenttemplate/search', {
    SqlColumns: 'AttachmentTemplate',
    DisplaySize: 1_000,
  });
  const known = new Set(rows.map((row) => row.AttachmentTemplate));
  const letters = JSON.parse(readFileSync(new URL('index.json', samples), 'utf8')) as readonly SampleLetter[];
  for (const { name, description, appliesTo, method, generator, options, file } of letters) {
    if (known.has(name)) continue;
    const { row } = await admin.call('attachmenttemplate/save', {
      AttachmentTemplate: name,
      Description: description,
      AppliesTo: appliesTo,
      Repeatable: 'Many',
      Method: method ?? '',
      AttachmentService: generator,
      Options: options,
    });
    await admin.call('attachment/save', {
      Object: 'AttachmentTemplate',
      ObjectID: row.AttachmentTemplateID,
      FileName: file,
      Content: readFileSync(new URL(file, samples)).toString('base64'),
    });
  }
}

/**
 * Mails letters of the first open cases with a mail house that takes them from a folder, and plays what it reports:
 * letters of one mailing are submitted, mailed, delivered and returned; another mailing is prepared. Without Chromium,
 * which prints them, there are none.
 */
export async function mailLetters(platform: Platform, { cast, clock }: Stage): Promise<void> {
  const { admin } = cast;
  const { rows: done } = await admin.call('deliverybatch/search', {
    DeliveryBatch: PREPARED,
    SqlColumns: 'DeliveryBatchID',
  });
  if (done.length > 0) return;
  const { rows: cases } = await admin.call('foreclosure/search', {
    Status: 'Open',
    OrderBy: 'ForeclosureID',
    DisplaySize: reports.length + PREPARED_LETTERS,
    SqlColumns: 'ForeclosureID',
    RecordCount: false,
  });
  const ids = cases.map(({ ForeclosureID: id }) => id);
  const [first] = ids;
  if (first === undefined || !(await canPrint(platform, admin, first))) return;
  const present = clock.milliseconds();
  const submittedAt = present - SUBMITTED_DAYS * DAY;
  const batchId = await clock.at(submittedAt, async () => {
    await createMailHouse(platform, admin);
    return prepareMailing(admin, SUBMITTED, ids.slice(0, reports.length));
  });
  if (batchId !== undefined) {
    // Not in the past: a worker would consider such a claim expired.
    const keys = await submitMailing(admin, batchId);
    await redateSubmission(platform.store, batchId, new Date(submittedAt).toISOString());
    await playReports(platform, { cast, clock }, keys);
  }
  await clock.at(present - DAY / 8, () => prepareMailing(admin, PREPARED, ids.slice(reports.length)));
}

/** Whether documents can be printed here. */
async function canPrint(platform: Platform, admin: DemoUser, id: number): Promise<boolean> {
  try {
    const type = await mailedType(admin);
    await admin.call('attachmenttemplate/preview', { ID: type, Object: 'Foreclosure', ObjectID: id });
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'CONVERTER_UNAVAILABLE') throw error;
    platform.log.warn('the demo has no mailings', { error: error.message });
    return false;
  }
}

async function mailedType(admin: DemoUser): Promise<number> {
  const { rows } = await admin.call('attachmenttemplate/search', {
    AttachmentTemplate: MAILED,
    SqlColumns: 'AttachmentTemplateID',
  });
  if (!rows[0]) throw new Error(`the demo has no document type ${MAILED}`);
  return rows[0].AttachmentTemplateID;
}

async function createMailHouse(platform: Platform, admin: DemoUser): Promise<void> {
  const { rows } = await admin.call('mailhouse/search', { MailHouse: MAIL_HOUSE, SqlColumns: 'MailHouseID' });
  if (rows.length > 0) return;
  await admin.call('mailhouse/save', {
    MailHouse: MAIL_HOUSE,
    MailHouseType: 'folder',
    Description: 'Invented. Takes letters from a folder, and reports by files.',
    Sequence: 1,
    Options: new URLSearchParams({
      Location: locationOf(platform),
      Path: '/mail-house/outbox',
      AcknowledgmentPath: '/mail-house/acknowledged',
      LetterCents: '118',
      SheetCents: '14',
    }).toString(),
  });
  platform.configuration.expire();
}

async function prepareMailing(admin: DemoUser, name: string, ids: readonly number[]): Promise<number | undefined> {
  if (ids.length === 0) return undefined;
  const { rows } = await admin.call('delivery/prepare', {
    Template: MAILED,
    Object: 'Foreclosure',
    ObjectID: ids,
    MailHouse: MAIL_HOUSE,
    Name: name,
    // An interrupted load continues with the same mailing.
    Key: name,
    SkipIncomplete: true,
  });
  return rows[0]?.DeliveryBatchID ?? undefined;
}

/** Submits the letters of a mailing, or waits until a worker has. Returns their keys in their order. */
async function submitMailing(admin: DemoUser, batchId: number): Promise<readonly string[]> {
  await admin.call('delivery/submit', { DeliveryBatchID: batchId });
  for (let waited = 0; ; waited += SUBMIT_MILLISECONDS.step) {
    await admin.call('delivery/send', { DeliveryBatchID: batchId });
    const { rows } = await admin.call('delivery/search', {
      DeliveryBatchID: batchId,
      OrderBy: 'DeliveryID',
      SqlColumns: 'DeliveryID,LetterKey,Status',
      RecordCount: false,
    });
    if (!rows.some(({ Status: status }) => UNSENT.has(status ?? '')))
      return rows.flatMap(({ LetterKey: key }) => (key === null ? [] : [key]));
    if (waited >= SUBMIT_MILLISECONDS.most) throw new Error('the letters of the demo were not submitted');
    await setTimeout(SUBMIT_MILLISECONDS.step);
  }
}

/** Writes the file in which the mail house reports about letters, and takes it as a watch does. */
async function playReports(
  platform: Platform,
  { cast, clock }: Pick<Stage, 'cast' | 'clock'>,
  keys: readonly string[],
): Promise<void> {
  const now = clock.milliseconds();
  const lines = keys.flatMap((key, at) =>
    (reports[at] ?? []).map(({ state, daysAgo, reason = '' }) =>
      [key, state, new Date(now - daysAgo * DAY).toISOString(), `"${reason}"`].join(','),
    ),
  );
  const location = locationOf(platform);
  const files = platform.providers.get(FILE_OBJECT, location);
  if (!(await files.stat(STATUS_FILE)))
    await files.write(STATUS_FILE, bytesOf(`Key,State,Date,Reason\n${lines.join('\n')}\n`));
  // A watch takes files that have not changed for a while.
  const settledAt = clock.milliseconds() + (platform.settings.get(watchSettleSeconds) + 1) * 1_000;
  const { row } = await clock.at(settledAt, () =>
    cast.admin.call('delivery/watch', {
      MailHouse: MAIL_HOUSE,
      FileObject: location,
      Path: STATUS_PATH,
      Pattern: '*.csv',
    }),
  );
  if (row.Failed !== 0 || row.Waiting !== 0) throw new Error('the reports of the mail house were not taken');
}

function locationOf({ providers }: Platform): string {
  const [first = ''] = providers.names(FILE_OBJECT);
  return first;
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
