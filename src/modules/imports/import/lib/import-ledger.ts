import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { insertMany } from '../../../../kernel/records/save/insert-many.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { childOf, childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import {
  findLedger,
  isAddedToNew,
  readLedgerLines,
  readTemplateLines,
  type StoredLine,
  type TemplateLine,
} from '../../../ledgers/public/stored-ledgers.ts';
import type { NestedTarget } from './nested-target.ts';
import { referenceOf, savedRecord, type ItemLog } from './item-log.ts';
import type { ledger } from '../../../ledgers/ledger/ledger.record.ts';
import { lineElementName } from './ledger-line-names.ts';

/** A stored ledger. */
type Ledger = Row<typeof ledger>;

/** Deepest nesting of ledgers in a referral. */
const LEDGER_DEPTH_MAX = 8;

/**
 * Saves a ledger element: a ledger of its template on the case, with a line for each money element. An element with
 * Items becomes a line with a ledger below it.
 */
export async function importLedger(
  ctx: Context,
  element: XmlElement | undefined,
  { parent, isNewCase, log }: NestedTarget,
): Promise<void> {
  if (!element) return;
  const record = ctx.registry.recordType('Ledger');
  let known: Pick<LedgerToFill, 'id' | 'templateId'> | undefined;
  const row = await log.saveNested(ctx, record, element, async () => {
    const template = await findTemplate(ctx, ctx.registry.recordType('LedgerTemplate'), {
      name: childText(element, 'Template') ?? '',
      parentClass: parent.record.name,
      field: 'Template',
    });
    const id = isNewCase
      ? undefined
      : await findLedger(ctx.db, template.id, { object: parent.record.name, id: parent.id });
    if (id === undefined)
      return savedRecord(
        await ctx.call('ledger/save', { TemplateID: template.id, Object: parent.record.name, ObjectID: parent.id }),
        undefined,
      );
    known = { id, templateId: template.id };
    log.unchanged(record.name, id, referenceOf(element));
    return undefined;
  });
  const ledger = known ?? (row && { id: row.LedgerID, templateId: Number(row.LedgerTemplateID) });
  if (ledger) await saveLines(ctx, childOf(element, 'Items'), { ...ledger, isNew: known === undefined, depth: 1 }, log);
}

function templateLines(ctx: Context, templateId: number): Promise<readonly TemplateLine[]> {
  return ctx.configuration.get(`ledgerlines:${templateId}`, () => readTemplateLines(ctx.configuration.db, templateId));
}

/** Whether new ledgers of a template, and those below them, have no lines yet. */
async function startsEmpty(ctx: Context, templateId: number, depth: number): Promise<boolean> {
  const lines = await templateLines(ctx, templateId);
  if (lines.some(({ manualinsert }) => isAddedToNew(manualinsert))) return false;
  if (depth >= LEDGER_DEPTH_MAX) return true;
  for (const { childledgertemplateid: below } of lines)
    if (below !== null && !(await startsEmpty(ctx, below, depth + 1))) return false;
  return true;
}

interface LedgerToFill {
  readonly id: number;
  readonly templateId: number;
  /** Whether it was created for this item. It has the lines that its template adds. */
  readonly isNew: boolean;
  /** Its nesting, from 1. */
  readonly depth: number;
}

/**
 * Replaces the lines that the element names and keeps the others. An element that the ledger's template does not have
 * fails alone.
 */
async function saveLines(
  ctx: Context,
  items: XmlElement | undefined,
  ledger: LedgerToFill,
  log: ItemLog,
): Promise<void> {
  if (!items || items.children.length === 0) return;
  const record = ctx.registry.recordType('LedgerItem');
  const lines = await templateLines(ctx, ledger.templateId);
  const isEmpty = ledger.isNew && (await startsEmpty(ctx, ledger.templateId, ledger.depth));
  if (
    isEmpty &&
    ctx.registry.isGeneric(record, 'save') &&
    (await log.saveTogether(ctx, () => insertLines(ctx, items, ledger, log)))
  )
    return;
  const known = isEmpty ? new Map<number, StoredLine>() : await readLedgerLines(ctx.db, ledger.id);
  for (const element of items.children) {
    const nestedItems = childOf(element, 'Items');
    let made: Ledger | undefined;
    let before: StoredLine | undefined;
    const row = await log.saveNested(ctx, record, element, async () => {
      const line = requireTemplateLine(element, lines, ledger.depth);
      before = known.get(line.ledgertemplateitemid);
      if (!nestedItems && before?.child)
        throw new PlatformError('BAD_PARAMETER', {
          field: element.name,
          message: `${element.name}: this line takes Items; its amount is the total of the ledger below it.`,
        });
      if (nestedItems && !before?.child) made = await createChildLedger(ctx, line, ledger);
      const values = lineValues(element, before?.child ?? made?.LedgerID);
      if (before) return savedRecord(await ctx.call('ledgeritem/save', { ...values, ID: before.id }), before.id);
      return savedRecord(await ctx.call('ledgeritem/save', { ...values, ...newLineColumns(line, ledger) }), undefined);
    });
    if (!row) continue;
    if (made) log.saved(ctx.registry.recordType('Ledger'), { row: made, operation: 'Insert' }, null);
    const { ChildLedgerID: child } = row;
    const { childledgertemplateid: childTemplate, ledgertemplateitemid: lineId } = requireTemplateLine(
      element,
      lines,
      ledger.depth,
    );
    known.set(lineId, { id: row.LedgerItemID, child });
    if (child !== null && childTemplate !== null)
      await saveLines(
        ctx,
        nestedItems,
        { id: child, templateId: childTemplate, isNew: !before?.child, depth: ledger.depth + 1 },
        log,
      );
  }
}

/** Inserts all lines of a new ledger in one statement, nested ledgers first, so that each total is calculated once. */
async function insertLines(ctx: Context, items: XmlElement, ledger: LedgerToFill, log: ItemLog): Promise<void> {
  const record = ctx.registry.recordType('LedgerItem');
  const lines = await templateLines(ctx, ledger.templateId);
  const seen = new Set<number>();
  const children: Record<string, string | number>[] = [];
  for (const element of items.children) {
    const line = requireTemplateLine(element, lines, ledger.depth);
    if (seen.has(line.ledgertemplateitemid)) throw new PlatformError('DUPLICATE_KEY', { field: element.name });
    seen.add(line.ledgertemplateitemid);
    const nestedItems = childOf(element, 'Items');
    const made = nestedItems && (await createChildLedger(ctx, line, ledger));
    if (nestedItems && made) {
      log.saved(ctx.registry.recordType('Ledger'), { row: made, operation: 'Insert' }, null);
      await insertLines(
        ctx,
        nestedItems,
        {
          id: made.LedgerID,
          templateId: Number(line.childledgertemplateid),
          isNew: true,
          depth: ledger.depth + 1,
        },
        log,
      );
    }
    children.push({ ...lineValues(element, made?.LedgerID), ...newLineColumns(line, ledger) });
  }
  if (children.length === 0) return;
  const rows = await insertMany(ctx, record, children);
  for (const [n, row] of rows.entries())
    log.saved(record, { row, operation: 'Insert' }, items.children[n] ? referenceOf(items.children[n]) : null);
}

/**
 * Returns the template line of an element.
 * @throws BAD_PARAMETER if there is none or it cannot hold the element's content
 */
function requireTemplateLine(element: XmlElement, lines: readonly TemplateLine[], depth: number): TemplateLine {
  const line = lines.find((l) => lineElementName(l.ledgertemplateitem).toLowerCase() === element.name.toLowerCase());
  if (!line) throw unknownLine(element, lines);
  if (childOf(element, 'Items') && (line.childledgertemplateid === null || depth >= LEDGER_DEPTH_MAX))
    throw new PlatformError('BAD_PARAMETER', {
      field: element.name,
      message: `${element.name}: this line takes an amount, not Items.`,
    });
  return line;
}

async function createChildLedger(ctx: Context, line: TemplateLine, ledger: LedgerToFill): Promise<Ledger> {
  return (
    await ctx.call('ledger/save', {
      TemplateID: Number(line.childledgertemplateid),
      Object: 'Ledger',
      ObjectID: ledger.id,
    })
  ).row;
}

type LineValues = { readonly ChildLedgerID: number } | { readonly AmountMoney: string };

/** Returns the content of a line: an amount, or the ledger below it. */
function lineValues(element: XmlElement, childLedgerId: number | undefined): LineValues {
  return childLedgerId === undefined ? { AmountMoney: element.text.trim() } : { ChildLedgerID: childLedgerId };
}

interface NewLineColumns {
  readonly LedgerID: number;
  readonly LedgerTemplateItemID: number;
  readonly LedgerItem: string;
  readonly Sequence?: number;
}

/** Returns the columns that a new line takes from its template line. */
function newLineColumns(line: TemplateLine, ledger: LedgerToFill): NewLineColumns {
  return {
    LedgerID: ledger.id,
    LedgerTemplateItemID: line.ledgertemplateitemid,
    LedgerItem: line.ledgertemplateitem,
    ...(line.sequence === null ? {} : { Sequence: line.sequence }),
  };
}

function unknownLine(element: XmlElement, lines: readonly TemplateLine[]): PlatformError {
  const names = lines.map((l) => lineElementName(l.ledgertemplateitem));
  return new PlatformError('BAD_PARAMETER', {
    field: element.name,
    message: `${element.name}: the ledger has no such line.${namesHint(element.name, names)}`,
  });
}
