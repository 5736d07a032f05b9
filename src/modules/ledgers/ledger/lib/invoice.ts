/** The invoice of an approved ledger. */
import type { Context } from '../../../../kernel/door/context.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import { findTemplate, templateById, type Template } from '../../../../kernel/records/save/template.ts';
import { decideForRecord } from '../../../rules/public/matrix-decision.ts';
import { rulesOf, type LedgerRules } from '../../lib/ledger-template.ts';
import type { Ledger } from '../../lib/stored-lines.ts';

/**
 * Queues the invoice of a ledger, if its template has one for it and none exists yet: a document of the type that the
 * InvoiceMatrixID decides, else of the InvoiceTemplateID. It is saved on the ledger or, where the type is for records
 * such as the one that the ledger belongs to, on that record. It runs as the platform: approving implies it.
 */
export async function queueInvoice(ctx: Context, ledger: Ledger): Promise<void> {
  const rules = await rulesOf(ctx, ledger.LedgerTemplateID);
  const type = rules && (await invoiceType(ctx, rules, ledger));
  if (!type) return;
  const target = { TemplateID: type.id, ...targetOf(ctx, type, ledger) };
  const { rows } = await ctx.call('attachment/search', {
    Object: target.Object,
    ObjectID: target.ObjectID,
    AttachmentTemplateID: type.id,
    DisplaySize: 1,
  });
  if (rows.length > 0) return;
  const personId = await ctx.builtinPersonId('Workflow');
  await ctx.enqueue({
    route: 'attachment/generate',
    parameters: target,
    label: `Invoice of ledger ${ledger.LedgerID}`,
    ...(personId === undefined ? {} : { personId }),
  });
}

/** The outputs of an invoice matrix that name a document type. */
const typeOutputs = ['TemplateName', 'InvoiceTemplate', 'Template'];

async function invoiceType(ctx: Context, rules: LedgerRules, ledger: Ledger): Promise<Template | undefined> {
  const types = ctx.registry.recordType('AttachmentTemplate');
  if (rules.invoiceMatrixId !== null) {
    const subject = { record: ctx.registry.recordType('Ledger'), id: ledger.LedgerID, row: ledger };
    const { mismatches, values } = await decideForRecord(ctx, rules.invoiceMatrixId, subject, { kind: 'summary' });
    const name = mismatches === 0 ? typeOutputs.map((output) => values[output]).find(isName) : undefined;
    if (name !== undefined) return findTemplate(ctx, types, { name, parentClass: undefined, field: 'InvoiceMatrixID' });
  }
  if (rules.invoiceTemplateId === null) return undefined;
  return templateById(ctx, types, rules.invoiceTemplateId, 'InvoiceTemplateID');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function targetOf(
  { registry }: Context,
  { appliesTo }: Template,
  { LedgerID, Object: className, ObjectID }: Ledger,
): { readonly Object: string; readonly ObjectID: number } {
  const applies = appliesTo === null ? undefined : registry.record(appliesTo);
  const parent = className === null ? undefined : registry.record(className);
  return applies && parent && ObjectID !== null && isA(parent, applies)
    ? { Object: parent.name, ObjectID }
    : { Object: 'Ledger', ObjectID: LedgerID };
}
