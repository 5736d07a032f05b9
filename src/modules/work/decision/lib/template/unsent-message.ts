import type { Context } from '../../../../../kernel/door/context.ts';
import { marks } from '../../../../../kernel/door/scratch.ts';
import { findRecord } from '../../../../../kernel/records/search/read.ts';
import { instanceKind } from './check-step.ts';
import type { PlannedStep } from './plan.ts';

/** What a step does not use of a message template. */
const unused = [
  'ToAddress',
  'CcAddress',
  'BccAddress',
  'ToMethod',
  'CcMethod',
  'BccMethod',
  'AttachmentTemplates',
  'ToContactID',
  'ToCollectionID',
  'CcContactID',
  'CcCollectionID',
  'BccContactID',
  'BccCollectionID',
] as const;

/** Warnings of the transaction: steps. */
const warnings = marks<number>('warnings about messages that are not sent');

/**
 * Warns about a step whose message template has recipients or documents to attach: the step saves a note with
 * the template's texts, and sends nothing.
 */
export async function warnUnsentMessage(ctx: Context, step: PlannedStep): Promise<void> {
  const { id, name, object, objectId, operation } = step;
  if (operation !== null || object === null || objectId === null) return;
  if (instanceKind(ctx, object)?.of.name !== 'MessageTemplate') return;
  const template = await findRecord(ctx.db, ctx.registry.recordType('MessageTemplate'), objectId);
  const set = template ? unused.filter((column) => template[column] !== null) : [];
  if (set.length === 0) return;
  const text =
    `Step "${name}" saves a note on the case and sends nothing. It does not use ${set.join(', ')} of the message ` +
    `template ${objectId}; call message/generate to send it.`;
  ctx.once(warnings, id, () => ctx.alert({ code: 'NOT_SENT', text, id }));
}
