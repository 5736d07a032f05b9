import { createHash } from 'node:crypto';
import { assertSubmission } from '../../../contracts/letter-validation.ts';
import type {
  LetterInquiry,
  LetterOutcome,
  LetterQuote,
  LetterSize,
  LetterSubmission,
  MailHouse,
  Notice,
  ParsedNotice,
  SubmittedLetter,
} from '../../../contracts/delivery.ts';
import { FILE_OBJECT, type FileObject } from '../../../contracts/file-object.ts';
import type { SendOptions } from '../../../contracts/sending.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Providers } from '../../../kernel/ports/providers.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';
import { reportsOfJson, reportsOfRows } from '../parse-reports.ts';
import { quoteLetter } from '../prices.ts';
import { batchFile } from './batch-file.ts';
import { csvRows } from './csv-rows.ts';
import type { FolderMailHouseOptions } from './folder-options.ts';

/** Most letters of one submission, which is one file. */
const LETTERS_MAX = 500;
/** Names of a submission's acknowledgment. */
const ACKNOWLEDGMENTS = ['.csv', '.json'] as const;

/**
 * Submits letters by writing each submission as one file to a storage location. The mail house acknowledges a
 * submission before it removes the file: where there is neither, it never had it.
 */
export class FolderMailHouse implements MailHouse {
  readonly lettersMax = LETTERS_MAX;
  readonly location: string;
  private readonly options: FolderMailHouseOptions;
  private readonly providers: Providers;

  constructor(options: FolderMailHouseOptions, providers: Providers) {
    this.options = options;
    this.location = options.Location;
    this.providers = providers;
  }

  quote(letter: LetterSize): LetterQuote {
    return quoteLetter(this.options, letter);
  }

  async submit(
    submission: LetterSubmission,
    { beforeData, signal }: SendOptions = {},
  ): Promise<readonly LetterOutcome[]> {
    assertSubmission(submission, this);
    await beforeData?.();
    const all = (outcome: Omit<LetterOutcome, 'key'>): LetterOutcome[] =>
      submission.letters.map(({ key }) => ({ key, ...outcome }));
    try {
      await this.files.write(this.fileOf(submission.key), batchFile(submission, signal), { uniqueContent: true });
    } catch (error) {
      // A submission has one key: an earlier attempt has written it.
      if (!(error instanceof PlatformError) || error.code !== 'DUPLICATE_KEY')
        return all({
          // A location far away may have the file although its answer was lost.
          status: 'unknown',
          detail: replyDetail(error instanceof Error ? error.message : 'the file could not be written'),
        });
    }
    return all({ status: 'accepted', detail: null, reference: submission.key });
  }

  async inquire(letters: readonly SubmittedLetter[], now: string): Promise<readonly LetterInquiry[]> {
    const known = new Map<string, boolean>();
    const answers: LetterInquiry[] = [];
    for (const { key, submission } of letters) {
      if (!known.has(submission)) known.set(submission, await this.hasTaken(submission));
      answers.push(
        known.get(submission) === true
          ? {
              key,
              status: 'found',
              report: { key, state: 'Submitted', date: now, reference: submission },
            }
          : {
              key,
              status: 'absent',
              detail: 'The storage location has neither the submission nor its acknowledgment.',
            },
      );
    }
    return answers;
  }

  /** Leaves a request beside the submission; the mail house answers it with a status file. */
  async cancel(letters: readonly SubmittedLetter[]): Promise<readonly LetterOutcome[]> {
    const keys = letters.map(({ key }) => key);
    const name = createHash('sha256')
      .update([...keys].sort().join())
      .digest('hex')
      .slice(0, 16);
    const outcome = await this.files
      .write(`${this.options.Path}/cancel-${name}.json`, bytesOf(`${JSON.stringify({ Cancel: keys })}\n`))
      .then(
        () => 'requested',
        (error: unknown) =>
          error instanceof PlatformError && error.code === 'DUPLICATE_KEY' ? 'requested' : 'not written',
      );
    const detail =
      outcome === 'requested'
        ? 'The mail house has not answered the request to stop it yet.'
        : 'The request to stop it could not be written to the storage location.';
    return keys.map((key) => ({ key, status: 'later' as const, detail }));
  }

  parseNotice({ source, fileName = '', bytes, now }: Notice): Promise<ParsedNotice> {
    if (source !== 'file')
      throw new PlatformError('NO_PERMISSION', {
        message: 'This mail house reports by files in its storage location, not by webhooks.',
      });
    const text = Buffer.from(bytes)
      .toString()
      .replace(/^\uFEFF/, '');
    const id = createHash('sha256').update(bytes).digest('hex');
    if (/\.json$/i.test(fileName)) return Promise.resolve({ id, reports: reportsOfJson(text, now) });
    if (/\.csv$/i.test(fileName)) return Promise.resolve({ id, reports: reportsOfRows(csvRows(text), now) });
    throw bad('FileName', 'a status file that ends in .csv or .json');
  }

  async check(): Promise<void> {
    try {
      await this.files.check?.();
      for await (const _path of this.files.list(this.options.Path)) break;
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it does not answer';
      throw new PlatformError('UNAVAILABLE', {
        message: replyDetail(`The storage location ${this.options.Location} cannot be used: ${why}`),
        cause: error,
      });
    }
  }

  /** The location as it is saved now. */
  private get files(): FileObject {
    return this.providers.get(FILE_OBJECT, this.options.Location);
  }

  private fileOf(submission: string): string {
    return `${this.options.Path}/${submission}.zip`;
  }

  private async hasTaken(submission: string): Promise<boolean> {
    const { AcknowledgmentPath } = this.options;
    const paths = [
      this.fileOf(submission),
      ...ACKNOWLEDGMENTS.map((end) => `${AcknowledgmentPath}/${submission}${end}`),
    ];
    for (const path of paths) if ((await this.files.stat(path)) !== undefined) return true;
    return false;
  }
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
