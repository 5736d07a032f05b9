import {
  inputValues,
  safeName,
  type EngineScore,
  type EngineTemplate,
  type ItemResult,
  type ScoreData,
  type ScoreEngine,
  type ScoreValues,
  type TemplateDraft,
} from '../../../contracts/score-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import type { DocumentContent } from '../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RawValue } from '../../../kernel/parameters/parse-value.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { calculateWorkbook } from './calculate-workbook.ts';
import { toCellValue, cellValueType, fromCellValue } from './convert-cell.ts';
import { serialOfText } from './day-serial.ts';
import { namedCells, type NamedCell } from './named-cells.ts';
import { cellKey, openWorkbook, workbookError, type Cell, type Sheet, type Workbook } from './open-workbook.ts';
import type { WorkbookReader } from './workbook-reader.ts';
import { rewriteWorkbook, type CellEdit } from './rewrite-workbook.ts';
import { parseEngineParameters } from './engine-parameters.ts';
import { LimitError } from './cell-value.ts';

/** Names of the score's own value in a workbook, besides the template's name. */
const ownNames: readonly string[] = ['score', 'value'];
/** The text in the copy in place of a masked value, or of a value derived from one. */
const HIDDEN = 'hidden';

/** A named cell with its item or input. */
interface MappedCell extends NamedCell {
  readonly key: string;
}

/**
 * Calculates by a workbook. Fills named cells with the items and inputs of the same names, calculates the formulas, and
 * takes named cells with formulas as the items of their names, or as the score. If the template's RenderID names the
 * workbook, the filled copy is stored as a document of the score.
 */
class WorkbookEngine implements ScoreEngine {
  readonly doc = 'Calculates by a workbook (.xlsx): named cells take items and input, named formulas become items.';
  private readonly reader: WorkbookReader;

  constructor(reader: WorkbookReader) {
    this.reader = reader;
  }

  check(parameters: string): void {
    parseEngineParameters(parameters);
  }

  async checkReferences({ parameters, renderId }: EngineTemplate, ctx: Context): Promise<string | undefined> {
    const { attachmentId, cells } = parseEngineParameters(parameters);
    const id = attachmentId ?? renderId ?? undefined;
    if (id === undefined)
      return 'RenderID: the workbook is missing. Save it as a document of the template, and its id in RenderID.';
    namedCells(await openWorkbook(this.reader, await contentOf(ctx, id)), cells);
    return undefined;
  }

  async getItems(parameters: string, ctx: Context): Promise<TemplateDraft['items']> {
    return (await this.draft(parameters, ctx)).items;
  }

  async createTemplate(parameters: string, ctx: Context): Promise<TemplateDraft> {
    return this.draft(parameters, ctx);
  }

  async calculate(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    const { attachmentId, cells } = parseEngineParameters(score.parameters);
    const id = attachmentId ?? score.renderId ?? undefined;
    if (id === undefined)
      throw workbookError(
        'is not named: RenderID of the template names the document, or the line AttachmentID = … of its ' +
          'EngineParameters',
      );
    const workbook = await openWorkbook(this.reader, await contentOf(score.ctx, id));
    const places = namedCells(workbook, cells).map((place): MappedCell => ({
      ...place,
      key: safeName(place.itemName).toLowerCase(),
    }));
    const filled = this.fill(workbook, places, data, score);
    const masked = places.filter(
      ({ key, cell, ...place }) =>
        itemOf(score, key)?.masked === true && (cell?.formula !== undefined || filled.has(keyOf(place))),
    );
    const hidden = new Set(
      masked
        .map(({ sheet, row, column }) => sheet.cells.get(cellKey(row, column)))
        .filter((cell) => cell !== undefined),
    );
    const tainted = await this.run(workbook, hidden, score);
    const found = this.results(workbook, places, score);
    if (score.renderId === null || score.renderId === undefined) return found;
    const edits = editsOf(this.reader, workbook, { places, filled }, { hidden, tainted, score });
    const { reader } = this;
    return {
      ...found,
      render: {
        fileName: `${fileNameOf(score.template)}.xlsx`,
        bytes: () =>
          rewriteWorkbook(reader, workbook, {
            bySheet: edits,
            unshare: tainted.size > 0 || hidden.size > 0,
            at: new Date(score.ctx.clock.now()),
          }),
      },
    };
  }

  /** Returns the items for a workbook's names; the name also identifies the score's own value. */
  private async draft(parameters: string, ctx: Context): Promise<TemplateDraft> {
    const { attachmentId, cells } = parseEngineParameters(parameters);
    if (attachmentId === undefined) return { valueType: undefined, items: [] };
    const workbook = await openWorkbook(this.reader, await contentOf(ctx, attachmentId));
    const items = new Map<string, TemplateDraft['items'][number]>();
    let valueType: TemplateDraft['valueType'];
    for (const place of namedCells(workbook, cells)) {
      const [key, kind] = [safeName(place.itemName).toLowerCase(), cellValueType(place.cell, workbook)];
      if (ownNames.includes(key)) valueType ??= place.cell?.formula ? kind : undefined;
      else if (key !== '' && !items.has(key)) items.set(key, { name: place.itemName, valueType: kind });
    }
    return { valueType, items: [...items.values()] };
  }

  /**
   * Fills the named cells without formulas with items and inputs. Cells without a known value keep the workbook's.
   */
  private fill(
    workbook: Workbook,
    places: readonly MappedCell[],
    data: ScoreData,
    score: EngineScore,
  ): Map<string, MappedCell> {
    const input = inputValues(data);
    const filled = new Map<string, MappedCell>();
    for (const place of places) {
      const { key, cell, sheet, row, column } = place;
      if (cell?.formula) continue;
      const item = itemOf(score, key);
      const value: RawValue | undefined = item && item.value !== null ? item.value : input.get(key);
      if (value === undefined || value === null) continue;
      const style = cell?.style ?? 0;
      const typed = toCellValue(value, {
        type: item?.valueType,
        before: cell?.value ?? null,
        format: workbook.formats[style] ?? 'number',
        from1904: workbook.from1904,
        where: `${place.name} (${this.where(place)})`,
      });
      sheet.cells.set(cellKey(row, column), { row, column, style, value: typed });
      [sheet.height, sheet.width] = [Math.max(sheet.height, row + 1), Math.max(sheet.width, column + 1)];
      filled.set(keyOf(place), place);
    }
    return filled;
  }

  private where({ sheet, row, column }: Pick<MappedCell, 'sheet' | 'row' | 'column'>): string {
    return `${sheet.name}!${this.reader.cellName(column, row + 1)}`;
  }

  private async run(workbook: Workbook, hidden: ReadonlySet<Cell>, { ctx }: EngineScore): Promise<ReadonlySet<Cell>> {
    try {
      return await calculateWorkbook({
        workbook,
        hidden,
        now: nowIn(ctx, workbook),
        nameOf: (sheet, { row, column }) => this.where({ sheet, row, column }),
      });
    } catch (error) {
      if (error instanceof LimitError) throw workbookError(`cannot be calculated: ${error.message}`);
      throw error;
    }
  }

  private results(workbook: Workbook, places: readonly MappedCell[], score: EngineScore): ScoreValues {
    const own = [safeName(score.template).toLowerCase(), ...ownNames];
    const items = new Map<string, ItemResult>();
    let value: { value?: RawValue } = {};
    let outputs = 0;
    for (const place of places) {
      const { key, cell, isMapped, itemName: means } = place;
      if (!cell?.formula) continue;
      const item = itemOf(score, key);
      const isOwn = item === undefined && own.includes(key);
      // Unknown names are for the workbook's own use.
      if (!item && !isOwn && !isMapped) continue;
      outputs++;
      const found = fromCellValue(cell.value, {
        type: isOwn ? score.valueType : item?.valueType,
        format: workbook.formats[cell.style] ?? 'number',
        from1904: workbook.from1904,
        where: `${place.name} (${this.where(place)})`,
        numberText: (raw, format, from1904) => this.reader.numberText(raw, format, from1904),
      });
      if (isOwn) value = { value: found };
      else items.set(item?.safeName ?? safeName(means), { value: found });
    }
    if (outputs === 0) throw noOutputsError(places);
    return { kind: 'values', ...value, items };
  }
}

/** Returns the engine that calculates by workbooks, with the application's workbook reader. */
export function workbookEngine(reader: WorkbookReader): WorkbookEngine {
  return new WorkbookEngine(reader);
}

function noOutputsError(places: readonly MappedCell[]): PlatformError {
  const names = places.slice(0, 50).map(({ name }) => name);
  return workbookError(
    `has no formula in a cell named after an item or the score; its named cells are ${names.join(', ') || 'none'}`,
  );
}

function itemOf({ items }: EngineScore, key: string): EngineScore['items'][number] | undefined {
  return items.find((item) => item.safeName.toLowerCase() === key);
}

/** Returns the key of a cell in the whole workbook. */
const keyOf = ({
  sheet,
  row,
  column,
}: {
  readonly sheet: Sheet;
  readonly row: number;
  readonly column: number;
}): string => `${sheet.part}!${cellKey(row, column)}`;

const fileNameOf = (name: string): string =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, ' ')
    .trim()
    .slice(0, 100) || 'score';

/**
 * Returns the document of a workbook. It must belong to a score template, which only configurators may change: users
 * who may add documents to records must not be able to define a calculation.
 */
async function contentOf(ctx: Context, id: number): Promise<DocumentContent> {
  const record = ctx.registry.recordType('Attachment');
  // A document added in this transaction is not yet in the committed configuration.
  const row = await readRecord(ctx.configuration.db, record, id)
    .catch(() => readRecord(ctx.db, record, id))
    .catch((error: unknown) => {
      throw error instanceof PlatformError && error.code === 'NOT_FOUND'
        ? workbookError(`, document ${id}, was not found`)
        : error;
    });
  if (row.Object !== 'ScoreTemplate')
    throw workbookError(
      `, document ${id}, belongs to no ScoreTemplate; expected a document of the score template, ` +
        'which only users who configure it can change',
    );
  return ctx.documents.content(row);
}

/** Returns the time of the call in the installation's time zone, as a day serial of the workbook. */
function nowIn({ clock, settings }: Context, { from1904 }: Workbook): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: settings.get(timeZone),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(clock.now()));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '00';
  return (
    serialOfText(
      `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`,
      from1904,
    ) ?? 0
  );
}

interface HiddenCells {
  readonly hidden: ReadonlySet<Cell>;
  readonly tainted: ReadonlySet<Cell>;
  readonly score: EngineScore;
}

/**
 * Returns the changes for the copy: inputs, and the values of all formulas. Masked cells and cells that depend on them
 * are hidden and lose their formulas, which would otherwise be recalculated without the masked values. An unmasked item
 * that depends on them is shown.
 */
function editsOf(
  reader: WorkbookReader,
  workbook: Workbook,
  { places, filled }: { readonly places: readonly MappedCell[]; readonly filled: ReadonlyMap<string, MappedCell> },
  { hidden, tainted, score }: HiddenCells,
): Map<string, Map<string, CellEdit>> {
  const open = new Set(
    places
      .filter(
        ({ key }) =>
          itemOf(score, key)?.masked !== true &&
          (itemOf(score, key) !== undefined ||
            ownNames.includes(key) ||
            key === safeName(score.template).toLowerCase()),
      )
      .map(({ cell }) => cell),
  );
  const edits = new Map<string, Map<string, CellEdit>>();
  for (const sheet of workbook.sheets) {
    const cells = new Map<string, CellEdit>();
    const changed = [
      ...sheet.formulas,
      ...[...sheet.cells.values()].filter((cell) => filled.has(keyOf({ sheet, row: cell.row, column: cell.column }))),
    ];
    for (const cell of changed) {
      const { row, column } = cell;
      const isHidden = hidden.has(cell) || (tainted.has(cell) && !open.has(cell));
      cells.set(reader.cellName(column, row + 1), {
        row,
        column,
        value: isHidden ? HIDDEN : cell.value,
        formula: cell.formula !== undefined && !isHidden && !tainted.has(cell),
      });
    }
    if (cells.size > 0) edits.set(sheet.part, cells);
  }
  return edits;
}
