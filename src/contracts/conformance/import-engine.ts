import assert from 'node:assert/strict';
import type { Context } from '../../kernel/door/context.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type {
  ImportEngine,
  ImportPiece,
  ImportRun,
  ImportSource,
  ImportTemplate,
  SourceRow,
} from '../import-engine.ts';

/** A document as an engine gets it. */
export interface EngineDocument {
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** What an engine's test passes to the suite. */
export interface EngineSubject {
  readonly engine: ImportEngine;
  readonly template: ImportTemplate;
  /** Returns a valid document of that many rows, all different; the same one for the same count. */
  document(rows: number): EngineDocument;
  /** A document of the engine's format that is unacceptable as a whole. */
  readonly faulty: EngineDocument;
  /** Documents of other formats. */
  readonly foreign: readonly EngineDocument[];
  /** The context of a run. */
  readonly ctx: Context;
  /** For an engine that saves itself: runs a piece in a transaction, rolled back on error. Absent if it only reads. */
  readonly saves?: {
    readonly transaction: (work: (own: Context) => Promise<ImportPiece>) => Promise<ImportPiece>;
    /** Returns what was saved since the last `clear`, one text per row, in any order. */
    saved(): Promise<readonly string[]>;
    clear(): Promise<void>;
  };
  /** False if documents hold more of a row than its values: corrections need not repeat the values. */
  readonly repeatsRows?: boolean;
}

/** One requirement: a sentence, and a function that throws if the engine does not meet it. */
export interface EngineDemand {
  readonly title: string;
  readonly check: (subject: EngineSubject) => Promise<void>;
}

/** A source over bytes, in pieces of a size that a document of any form must bear. */
export function sourceOf(document: EngineDocument, pieceBytes = 64 * 1024): ImportSource {
  const { fileName, bytes } = document;
  async function* part(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    // Each piece is a copy that is destroyed when the next is asked for: an engine keeps none that it did not copy.
    for (let at = start; at < Math.min(end, bytes.length); at += pieceBytes) {
      const piece = Buffer.from(bytes.subarray(at, Math.min(end, bytes.length, at + pieceBytes)));
      yield piece;
      piece.fill(0);
    }
  }
  return { fileName, size: bytes.length, open: () => part(0, bytes.length), part };
}

/** What a run of the suite stored: pieces, and the rows given to it. */
interface RunProgress {
  readonly rows: SourceRow[];
  readonly pieces: ImportPiece[];
  done: number;
  state: unknown;
  expected: number | undefined;
}

const ROWS = 37;
const cutOff = new Error('the run was cut off');

/** Rows per piece in the suite's runs: few, so that a run has several. */
const PIECE_ROWS = 5;

/**
 * Returns after how many pieces a run is cut off: after each number in turn, but for an engine that saves its rows only
 * after the first, a middle and the last few, because each of its runs saves all rows.
 */
function cutsOf(pieces: number, saves: boolean): number[] {
  const all = Array.from({ length: pieces }, (_, cut) => cut);
  const middle = Math.floor(pieces / 2);
  return saves ? all.filter((cut) => cut < 2 || cut === middle || cut >= pieces - 2) : all;
}

/** Starts or resumes a run; stores `piecesMax` pieces and fails at the next one. */
async function run(
  subject: EngineSubject,
  source: ImportSource,
  progress: RunProgress,
  piecesMax = Infinity,
): Promise<void> {
  let left = piecesMax;
  const keep = async (work: (own: Context) => Promise<ImportPiece>): Promise<void> => {
    if (left-- <= 0) throw cutOff;
    const transaction = subject.saves?.transaction ?? (async (inside) => inside(subject.ctx));
    const piece = await transaction(work);
    assert.ok(piece.done >= progress.done, 'a piece does not go back');
    progress.pieces.push(piece);
    progress.done = piece.done;
    // As the database returns it.
    if (piece.state !== undefined) progress.state = JSON.parse(JSON.stringify(piece.state)) as unknown;
  };
  const started: ImportRun = {
    importFileId: 1,
    organizationId: null,
    template: subject.template,
    source,
    ctx: subject.ctx,
    done: progress.done,
    state: progress.state,
    expect: async (total) => void (progress.expected = total),
    piece: keep,
    warn: () => Promise.resolve(),
    handOff: () => assert.fail('an engine of the suite ends its run itself'),
    async rows(batches) {
      let at = 0;
      for await (const batch of batches) {
        const fresh = batch.filter(() => at++ >= progress.done).map((row) => ({ ...row, values: { ...row.values } }));
        for (let from = 0; from < fresh.length; from += PIECE_ROWS) {
          const piece = fresh.slice(from, from + PIECE_ROWS);
          await keep(async () => ({ done: progress.done + piece.length, results: [] }));
          progress.rows.push(...piece);
        }
      }
    },
  };
  await subject.engine.import(started);
}

const nothing = (): RunProgress => ({ rows: [], pieces: [], done: 0, state: undefined, expected: undefined });

/** The results of a whole run, as texts to compare. */
async function resultTexts(subject: EngineSubject, progress: RunProgress): Promise<string[]> {
  if (!subject.saves) return progress.rows.map((row) => JSON.stringify(row));
  return [...(await subject.saves.saved())].sort();
}

async function wholeRun(
  subject: EngineSubject,
  source: ImportSource,
): Promise<{ progress: RunProgress; results: string[] }> {
  await subject.saves?.clear();
  const progress = nothing();
  await run(subject, source, progress);
  return { progress, results: await resultTexts(subject, progress) };
}

async function contentOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

async function* listed<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}

const reasonless = (row: SourceRow): Record<string, string> =>
  Object.fromEntries(Object.entries(row.values).filter(([name]) => name.toLowerCase() !== 'importreason'));

/** Requirements of every import engine. Its test runs each of them. */
export const importEngineConformance: readonly EngineDemand[] = [
  {
    title: 'IMP-19 recognizes its documents, and nothing else',
    async check(subject) {
      const { engine, template } = subject;
      assert.equal(await engine.detect(sourceOf(subject.document(3)), template), true);
      const nonsense = Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 167) % 256));
      for (const other of [
        ...subject.foreign,
        { fileName: 'empty.bin', bytes: Buffer.alloc(0) },
        { fileName: 'nonsense.bin', bytes: nonsense },
        { fileName: 'zeros.bin', bytes: Buffer.alloc(500) },
      ]) {
        assert.equal(await engine.detect(sourceOf(other), template), false, other.fileName);
      }
      const { fileName, bytes } = subject.document(ROWS);
      // Never throws, wherever a document was cut off.
      for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 20))
        await engine.detect(sourceOf({ fileName, bytes: bytes.subarray(0, length) }), template);
    },
  },
  {
    title: 'IMP-19 previews the requested number of first rows, the same each time',
    async check(subject) {
      const { engine, template } = subject;
      const document = subject.document(ROWS);
      const preview = await engine.preview(sourceOf(document), template, 4);
      assert.equal(preview.rows.length, 4);
      assert.ok(preview.columns.length > 0);
      assert.ok(
        preview.rows.every(
          (row, index, rows) => row.problem === undefined && (index === 0 || row.line > (rows[index - 1]?.line ?? 0)),
        ),
        'no problems, ascending lines',
      );
      assert.ok(preview.total === undefined || preview.total === ROWS);
      assert.deepEqual(await engine.preview(sourceOf(document, 7), template, 4), preview);
      assert.equal((await engine.preview(sourceOf(document), template, 1000)).rows.length, ROWS);
      for (const other of subject.foreign) {
        const shown = await engine.preview(sourceOf(other), template, 4).catch((error: unknown) => {
          assert.ok(error instanceof PlatformError, other.fileName);
          return undefined;
        });
        assert.ok(
          shown === undefined || shown.rows.every((row) => row.problem !== undefined),
          `${other.fileName} is refused, or shown as rows that cannot be read`,
        );
      }
    },
  },
  {
    title: 'IMP-19 finds no fault with a good document, and reports up to the requested number of faults in another',
    async check(subject) {
      const { engine, template } = subject;
      assert.deepEqual(await engine.validate(sourceOf(subject.document(3)), template, 10), []);
      for (const wrong of [subject.faulty, ...subject.foreign]) {
        for (const issuesMax of [1, 10]) {
          const issues = await engine.validate(sourceOf(wrong), template, issuesMax);
          assert.ok(issues.length > 0 && issues.length <= issuesMax, wrong.fileName);
          assert.ok(
            issues.every((issue) => issue.message.length > 0 && Number.isInteger(issue.line) && issue.line >= 0),
            wrong.fileName,
          );
        }
      }
    },
  },
  {
    title: 'IMP-19 imports every row once, in whatever pieces the bytes arrive',
    async check(subject) {
      const document = subject.document(ROWS);
      const whole = await wholeRun(subject, sourceOf(document));
      assert.equal(whole.results.length, ROWS);
      assert.equal(new Set(whole.results).size, ROWS);
      assert.equal(whole.progress.done, ROWS);
      assert.ok(whole.progress.expected === undefined || whole.progress.expected === ROWS);
      for (const pieceBytes of [1, 2, 7, 1000])
        assert.deepEqual(
          (await wholeRun(subject, sourceOf(document, pieceBytes))).results,
          whole.results,
          `pieces of ${pieceBytes}`,
        );
    },
  },
  {
    title: 'IMP-15 IMP-19 continues where it was interrupted, at any piece, with no row lost or imported twice',
    async check(subject) {
      const document = subject.document(ROWS);
      const whole = await wholeRun(subject, sourceOf(document));
      for (const cut of cutsOf(whole.progress.pieces.length, subject.saves !== undefined)) {
        await subject.saves?.clear();
        const progress = nothing();
        await assert.rejects(run(subject, sourceOf(document), progress, cut), cutOff);
        assert.equal(progress.pieces.length, cut);
        await run(subject, sourceOf(document), progress);
        assert.equal(progress.done, ROWS);
        assert.deepEqual(await resultTexts(subject, progress), whole.results, `cut off after ${cut} pieces`);
      }
    },
  },
  {
    title: 'IMP-19 a complete run imports nothing when it is delivered again',
    async check(subject) {
      const document = subject.document(ROWS);
      const { progress, results: before } = await wholeRun(subject, sourceOf(document));
      await run(subject, sourceOf(document), progress);
      assert.deepEqual(await resultTexts(subject, progress), before);
      assert.equal(progress.done, ROWS);
    },
  },
  {
    title: 'IMP-19 closes every reader of the source, however little of it was needed',
    async check(subject) {
      const { engine, template } = subject;
      let open = 0;
      const watched = (document: EngineDocument): ImportSource => {
        const source = sourceOf(document, 16);
        const watch = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
          open++;
          try {
            yield* bytes;
          } finally {
            open--;
          }
        };
        return { ...source, open: () => watch(source.open()), part: (start, end) => watch(source.part(start, end)) };
      };
      for (const document of [subject.document(ROWS), subject.faulty, ...subject.foreign]) {
        await engine.detect(watched(document), template);
        await engine.preview(watched(document), template, 1).catch(() => undefined);
        await engine.validate(watched(document), template, 1);
        assert.equal(open, 0, document.fileName);
      }
      await subject.saves?.clear();
      await assert.rejects(run(subject, watched(subject.document(ROWS)), nothing(), 0), cutOff);
      assert.equal(open, 0, 'a run that was cut off');
      const { rows } = await engine.preview(sourceOf(subject.document(ROWS)), template, 1);
      for await (const _ of engine.corrections(
        watched(subject.document(ROWS)),
        template,
        listed([{ line: rows[0]?.line ?? 1, reason: 'x' }]),
      ).bytes)
        break;
      assert.equal(open, 0, 'corrections that nobody read to their end');
    },
  },
  {
    title: 'IMP-19 two concurrent runs are independent of one another',
    async check(subject) {
      if (subject.saves) return;
      const [one, two] = [nothing(), nothing()];
      await Promise.all([
        run(subject, sourceOf(subject.document(ROWS), 11), one),
        run(subject, sourceOf(subject.document(5), 3), two),
      ]);
      assert.equal(one.rows.length, ROWS);
      assert.equal(two.rows.length, 5);
    },
  },
  {
    title: 'IMP-19 returns failed rows in a document that it accepts again, each with its reason',
    async check(subject) {
      const { engine, template } = subject;
      const document = subject.document(ROWS);
      const { rows } = await engine.preview(sourceOf(document), template, 1000);
      const failed = rows.filter((_, index) => index % 3 === 1);
      const corrections = engine.corrections(
        sourceOf(document),
        template,
        listed(failed.map(({ line }) => ({ line, reason: `it failed, "${line}" & <so> on --` }))),
      );
      assert.ok(corrections.fileName !== '' && corrections.mime !== '');
      const bytes = await contentOf(corrections.bytes);
      for (const { line } of failed) assert.match(bytes.toString(), new RegExp(`it failed.*${line}`));
      const again = sourceOf({ fileName: corrections.fileName, bytes });
      assert.equal(await engine.detect(again, template), true);
      assert.deepEqual(await engine.validate(again, template, 10), []);
      const repeated = (await engine.preview(again, template, 1000)).rows;
      assert.equal(repeated.length, failed.length);
      if (subject.repeatsRows !== false) assert.deepEqual(repeated.map(reasonless), failed.map(reasonless));
      const other = await contentOf(
        engine.corrections(
          sourceOf(document, 7),
          template,
          listed(failed.map(({ line }) => ({ line, reason: `it failed, "${line}" & <so> on --` }))),
        ).bytes,
      );
      assert.deepEqual(other, bytes);
    },
  },
];
