import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { childOf, type XmlElement } from '../../../../kernel/xml/element.ts';
import type { ItemLog } from './item-log.ts';

/** The case that nested records belong to, the submission's files, and the log of their results. */
export interface NestedTarget {
  readonly parent: KnownParent;
  /** Whether the item created the case: then only records of the same item can exist already. */
  readonly isNewCase: boolean;
  readonly files: ReadonlyMap<string, StagedDocument>;
  readonly log: ItemLog;
}

/** Elements of a stand-alone item that name its case. */
const TARGET_ELEMENTS = new Set(['Object', 'ObjectSubscriberID']);

/** Returns the leaf elements of a nested record, by name. */
export function leafValues(element: XmlElement): Record<string, string> {
  return Object.fromEntries(
    element.children
      .filter((c) => c.children.length === 0 && !TARGET_ELEMENTS.has(c.name))
      .map((c) => [c.name, c.text.trim()]),
  );
}

/** Returns the elements nested in a case item under a name. */
export function nestedElements(item: XmlElement, name: string): readonly XmlElement[] {
  return childOf(item, name)?.children ?? [];
}

/** Returns the id of the template with this name for the parent. @throws BAD_PARAMETER naming the nearest names */
export async function templateId(ctx: Context, record: string, name: string, parent: KnownParent): Promise<number> {
  return (
    await findTemplate(ctx, ctx.registry.requireRecord(record, 'Template'), {
      name,
      parentClass: parent.record.name,
      field: 'Template',
    })
  ).id;
}

const dateField = f.timestamp({ doc: 'A date of a step or hold.' });

/** Parses a date of a task or hold into an instant in milliseconds, as saving the record would; null if it is empty. */
export function toInstant(ctx: Context, name: string, text: string | undefined): number | null {
  return text ? Date.parse(String(parseValue(dateField, text, name, { timeZone: ctx.settings.get(timeZone) }))) : null;
}

/** A task or hold of a case, as far as it must be recognized. Dates in milliseconds. */
export interface StoredInstance {
  readonly id: number;
  readonly isOpen: boolean;
  readonly isCanceled: boolean;
  readonly start: number | null;
  readonly projected: number | null;
  readonly completion: number | null;
  /** The reason of a hold. */
  readonly reason: string;
  /** Whether a task asks for answers that one reported complete did not have. */
  readonly isFollowUp: boolean;
  /** Whether the sender's firm created it; true for a sender without a firm. */
  readonly isOwn: boolean;
}

/** Dates of a task or hold as they were sent, in milliseconds; null if not sent or empty. */
export type SentDates = Pick<StoredInstance, 'start' | 'projected' | 'completion'>;

/** Whether an instance has all dates that were sent. */
export function hasDates(stored: StoredInstance, sent: SentDates): boolean {
  return (['start', 'projected', 'completion'] as const).every(
    (name) => sent[name] === null || sent[name] === stored[name],
  );
}
