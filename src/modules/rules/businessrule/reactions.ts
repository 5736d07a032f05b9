import type { Context } from '../../../kernel/door/context.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import {
  checkOperations,
  assertActiveRulesBelowMax,
  checkTable,
  checkRuleText,
  type RuleValues,
} from './lib/rule-checks.ts';
import {
  isRuleStylesheet,
  saveStylesheetDocument,
  clearDeletedStylesheet,
  applyStylesheetDocument,
} from './lib/stylesheet-document.ts';

const statuses = ['Active', 'Inactive'];

export const checks = defineChecks([
  {
    on: 'BusinessRule',
    doc:
      'A rule has a name, an existing table and operations, a Status of Active or Inactive, an end date not ' +
      'before its start date, and a text that its provider compiles.',
    async run(ctx, _record, values, id) {
      const [stored] =
        id === undefined
          ? []
          : await ctx.db.query(
              `select businessrule, status, appliesto, operation, startdate, enddate, rulevalidator, stylesheet
               from businessrule
               where businessruleid = $1::bigint`,
              [id],
            );
      const whole = new Map([...Object.entries(stored ?? {}), ...values]);
      if (typeof whole.get('businessrule') !== 'string') throw bad('BusinessRule', "the rule's name");
      const status = statusOf(whole);
      if (status !== whole.get('status')) values.set('status', status);
      const isActive = status === 'Active';
      // Deactivating a broken rule must always work, so nothing else is checked then.
      if (id !== undefined && !isActive && [...values.keys()].every((name) => name === 'status')) return;
      await checkRule(ctx, { values, whole, stored, id }, isActive);
    },
  },
]);

interface RuleChange {
  readonly values: Map<string, unknown>;
  /** Returns the stored columns merged with the changed ones. */
  readonly whole: RuleValues;
  readonly stored: Readonly<Record<string, unknown>> | undefined;
  readonly id: number | undefined;
}

async function checkRule(ctx: Context, { values, whole, stored, id }: RuleChange, isActive: boolean): Promise<void> {
  const table = checkTable(ctx, whole.get('appliesto'));
  const isMoved = table.name !== stored?.['appliesto'];
  if (isMoved) values.set('appliesto', table.name);
  const operations = await checkOperations(ctx, table, whole.get('operation'));
  if (operations !== stored?.['operation']) values.set('operation', operations);
  assertDatesInOrder(whole);
  const becomesActive = isActive && stored?.['status'] !== 'Active';
  if (becomesActive || values.has('stylesheet') || values.has('rulevalidator'))
    await checkRuleText(ctx, whole, isActive);
  if (isActive && (becomesActive || isMoved)) await assertActiveRulesBelowMax(ctx, table.name, id);
}

function assertDatesInOrder(whole: RuleValues): void {
  const [start, end] = [whole.get('startdate'), whole.get('enddate')];
  if (typeof start === 'string' && typeof end === 'string' && end < start)
    throw bad('EndDate', 'a day that is not before StartDate');
}

/** A rule saved with its text becomes active; one without cannot run yet. */
function statusOf(values: RuleValues): string {
  const sent = values.get('status');
  if (sent === undefined || sent === null) return typeof values.get('stylesheet') === 'string' ? 'Active' : 'Inactive';
  const status = statuses.find((one) => typeof sent === 'string' && one.toLowerCase() === sent.toLowerCase());
  if (status === undefined) throw bad('Status', `one of ${statuses.join(', ')}`);
  return status;
}

export const reactions = defineReactions([
  {
    on: 'BusinessRule',
    after: ['insert', 'update'],
    doc: 'The stylesheet of a rule is also stored as a document on it.',
    async run(ctx, row, change, changed) {
      if (change === 'insert' || changed.has('stylesheet')) await saveStylesheetDocument(ctx, row);
    },
  },
  {
    on: 'BusinessRule',
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of business rules are written to the security log.',
    async run(ctx, row) {
      await ctx.security({
        event: 'BusinessRuleChanged',
        object: 'BusinessRule',
        objectId: Number(row['BusinessRuleID']),
        detail: `${String(row['AppliesTo'])}: ${String(row['BusinessRule'])}, ${String(row['Status'])}`,
      });
    },
  },
  {
    on: 'Attachment',
    after: ['insert', 'update', 'delete'],
    doc: 'A document on a business rule whose name ends with .xslt or .xsl is the stylesheet of the rule.',
    async run(ctx, row, change, changed) {
      if (!isRuleStylesheet(row)) return;
      if (change === 'delete') await clearDeletedStylesheet(ctx, row);
      else if (change === 'insert' || changed.has('filehash')) await applyStylesheetDocument(ctx, row);
    },
  },
]);
