import { inScratchFolder, NOT_EXECUTABLE, NOT_FOUND, type ProgramResult } from '../programs/scratch-folder.ts';
import { plainBody } from '../text-search/words.ts';
import type { WordBox } from '../text-search/word-boxes.ts';

/** A program that recognizes text, with the arguments of Tesseract. */
export interface Recognizer {
  /** Name or path of the program. */
  readonly command: string;
  /** Languages as the program names them, joined by `+`. */
  readonly languages: string;
  readonly milliseconds: number;
}

/** A picture of a page. */
export interface Picture {
  readonly bytes: Uint8Array;
  /** Which page of a file with several it is, from 1; undefined if it has one. */
  readonly page?: number | undefined;
}

/** The text of a picture with the boxes of its words. */
export interface RecognizedPage {
  readonly text: string;
  readonly boxes: readonly WordBox[];
}

/** The program is missing, or cannot work as it is set up: another page would fail, too. The message is for people. */
export class RecognizerUnavailable extends Error {
  override readonly name = 'RecognizerUnavailable';
}

/** The program failed for this page, or took too long. The message is for people. */
export class UnrecognizablePage extends Error {
  override readonly name = 'UnrecognizablePage';
}

/** Virtual memory of the program, in megabytes: a page of 300 dpi takes a tenth. */
const MEMORY_MEGABYTES = 2_000;
/** Most bytes of its answer. */
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024;
/** Where a program without a path is looked for. */
const PROGRAM_FOLDERS = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';

/** Returns the text of a picture. Throws {@link RecognizerUnavailable} or {@link UnrecognizablePage}. */
export async function recognizePage(recognizer: Recognizer, { bytes, page }: Picture): Promise<RecognizedPage> {
  const result = await runRecognizer(
    recognizer,
    [
      'stdin',
      'stdout',
      '-l',
      recognizer.languages,
      ...(page === undefined ? [] : ['-c', `tessedit_page_number=${page - 1}`]),
      'tsv',
    ],
    bytes,
  );
  if (!result)
    throw new UnrecognizablePage(`Text recognition took longer than ${Math.round(recognizer.milliseconds / 1_000)} s.`);
  const { code, output, errors } = result;
  if (code === NOT_FOUND || code === NOT_EXECUTABLE)
    throw new RecognizerUnavailable(`The program ${recognizer.command} is not installed.`);
  if (/loading language|couldn't load any languages/i.test(errors))
    throw new RecognizerUnavailable(`${recognizer.command} has no data for the languages ${recognizer.languages}.`);
  if (code !== 0) throw new UnrecognizablePage('The picture could not be recognized.');
  return parseWords(output.toString());
}

/** Whether the program can be started. */
export async function isRecognizerInstalled(command: string): Promise<boolean> {
  const recognizer = { command, languages: '', milliseconds: 10_000 };
  return (await runRecognizer(recognizer, ['--version'], new Uint8Array()))?.code === 0;
}

/** Runs the program; undefined if it takes too long. */
async function runRecognizer(
  { command, milliseconds }: Recognizer,
  args: readonly string[],
  input: Uint8Array,
): Promise<ProgramResult | undefined> {
  const signal = AbortSignal.timeout(milliseconds);
  // One thread for each page: several pages at a time take half as long as one page in several threads.
  const env = { PATH: PROGRAM_FOLDERS, OMP_THREAD_LIMIT: '1' };
  const limits = { memoryMegabytes: MEMORY_MEGABYTES, outputBytesMax: OUTPUT_BYTES_MAX, signal };
  try {
    return await inScratchFolder('casewright-ocr-', (folder) =>
      folder.run({ command: [command, ...args], env, input, ...limits }),
    );
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Levels of the lines of the program's answer, and the columns of a line. */
const PAGE_LEVEL = '1';
const WORD_LEVEL = '5';
const COLUMNS = 12;
/** Least confidence of a word, of 100: what the program sees in stains and lines has less. */
const CONFIDENCE_MIN = 20;

/** Returns the words of the program's answer in its format `tsv`, a line of text for each line of the page. */
function parseWords(tsv: string): RecognizedPage {
  const boxes: WordBox[] = [];
  let [width, height] = [1, 1];
  let text = '';
  let before = '';
  for (const line of tsv.split('\n')) {
    const cells = line.split('\t');
    if (cells.length < COLUMNS) continue;
    const [left = 0, top = 0, wide = 0, high = 0, confidence = 0] = cells.slice(6, 11).map(Number);
    if (cells[0] === PAGE_LEVEL) [width, height] = [Math.max(wide, 1), Math.max(high, 1)];
    const word = plainBody(cells.slice(COLUMNS - 1).join(' ')).trim();
    if (cells[0] !== WORD_LEVEL || word === '' || confidence < CONFIDENCE_MIN) continue;
    const place = cells.slice(1, 5).join('.');
    if (text !== '') text += place === before ? ' ' : '\n';
    before = place;
    const part = (value: number, whole: number): number =>
      Math.min(1_000, Math.max(0, Math.round((value * 1_000) / whole)));
    boxes.push({
      start: text.length,
      left: part(left, width),
      top: part(top, height),
      right: part(left + wide, width),
      bottom: part(top + high, height),
    });
    text += word;
  }
  return { text, boxes };
}
