import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
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
import { businessRule } from './businessrule.record.ts';
import { attachment } from '../../documents/attachment/attachment.record.ts';
import { type Values, columnsAfter, valueNames } from '../../../kernel/declare/values.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';

const statuses = ['Active', 'Inactive'];

const ruleColumns = [
  'BusinessRule',
  'Status',
  'AppliesTo',
  'Operation',
  'StartDate',
  'EndDate',
  'RuleValidator',
  'Stylesheet',
] as const;

export const checks = [
  defineCheck({
    on: businessRule,
    doc:
      'A rule has a name, an existing table and operations, a Status of Active or Inactive, an end date not ' +
      'before its start date, and a text that its provider compiles.',
    async run(ctx, { values, id }) {
      const stored = id === undefined ? undefined : await readColumns(ctx.db, businessRule, id, ruleColumns);
      const whole = columnsAfter(values, stored);
      if (typeof whole.BusinessRule !== 'string') throw bad('BusinessRule', "the rule's name");
      const status = statusOf(whole);
      if (status !== whole.Status) values.Status = status;
      const isActive = status === 'Active';
      // Deactivating a broken rule must always work, so nothing else is checked then.
      if (id !== undefined && !isActive && valueNames(values).every((name) => name === 'Status')) return;
      await checkRule(ctx, { values, whole, stored, id }, isActive);
    },
  }),
];

interface RuleChange {
  readonly values: Values<typeof businessRule>;
  /** Returns the stored columns merged with the changed ones. */
  readonly whole: RuleValues;
  readonly stored: RuleValues | undefined;
  readonly id: number | undefined;
}

async function checkRule(ctx: Context, { values, whole, stored, id }: RuleChange, isActive: boolean): Promise<void> {
  const table = checkTable(ctx, whole.AppliesTo);
  const isMoved = table.name !== stored?.AppliesTo;
  if (isMoved) values.AppliesTo = table.name;
  const operations = await checkOperations(ctx, table, whole.Operation);
  if (operations !== stored?.Operation) values.Operation = operations;
  assertDatesInOrder(whole);
  const becomesActive = isActive && stored?.Status !== 'Active';
  if (becomesActive || values.Stylesheet !== undefined || values.RuleValidator !== undefined)
    await checkRuleText(ctx, whole, isActive);
  if (isActive && (becomesActive || isMoved)) await assertActiveRulesBelowMax(ctx, table.name, id);
}

function assertDatesInOrder(whole: RuleValues): void {
  const [start, end] = [whole.StartDate, whole.EndDate];
  if (typeof start === 'string' && typeof end === 'string' && end < start)
    throw bad('EndDate', 'a day that is not before StartDate');
}

/** A rule saved with its text becomes active; one without cannot run yet. */
function statusOf(values: RuleValues): string {
  const { Status: sent, Stylesheet: text } = values;
  if (sent === undefined || sent === null) return typeof text === 'string' ? 'Active' : 'Inactive';
  const status = statuses.find((one) => typeof sent === 'string' && one.toLowerCase() === sent.toLowerCase());
  if (status === undefined) throw bad('Status', `one of ${statuses.join(', ')}`);
  return status;
}

export const callSources = [
  defineCallSource({
    on: businessRule,
    doc: 'An active rule decides whether others may call the operations that it names.',
    place: (row) => `Rule "${row.BusinessRule ?? ''}"`,
    calls: ({ registry }, { Status, AppliesTo, Operation, Stylesheet }) =>
      Status !== 'Active' || AppliesTo === null
        ? []
        : splitCommaList(Operation ?? '').map((name) => ({
            field: 'AppliesTo',
            signature: `${registry.record(AppliesTo)?.module ?? AppliesTo}/${name.toLowerCase()}`,
            basis: Stylesheet ?? '',
            verb: 'decides on' as const,
          })),
  }),
];

export const reactions = [
  defineReaction({
    on: businessRule,
    after: ['insert', 'update'],
    doc: 'The stylesheet of a rule is also stored as a document on it.',
    async run(ctx, row, change, changed) {
      if (change === 'insert' || changed.has('Stylesheet')) await saveStylesheetDocument(ctx, row);
    },
  }),
  defineReaction({
    on: businessRule,
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of business rules are written to the security log.',
    async run(ctx, row) {
      await ctx.security({
        event: 'BusinessRuleChanged',
        object: 'BusinessRule',
        objectId: row.BusinessRuleID,
        detail: `${String(row.AppliesTo)}: ${String(row.BusinessRule)}, ${String(row.Status)}`,
      });
    },
  }),
  defineReaction({
    on: attachment,
    after: ['insert', 'update', 'delete'],
    doc: 'A document on a business rule whose name ends with .xslt or .xsl is the stylesheet of the rule.',
    async run(ctx, row, change, changed) {
      if (!isRuleStylesheet(row)) return;
      if (change === 'delete') await clearDeletedStylesheet(ctx, row);
      else if (change === 'insert' || changed.has('FileHash')) await applyStylesheetDocument(ctx, row);
    },
  }),
];
