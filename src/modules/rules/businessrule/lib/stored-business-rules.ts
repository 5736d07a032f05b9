import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR, type RuleVerdict } from '../../../../contracts/rule-validator.ts';
import {
  RULE_WARNING,
  ruleDocument,
  type BusinessRules,
  type RuleEvent,
} from '../../../../kernel/ports/business-rules.ts';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import { today } from '../../../../kernel/time/today.ts';
import { businessRuleCacheDuration, businessRuleEnabled } from '../settings.ts';
import { loadActiveRules, type ActiveRules, type ActiveRule } from './active-rules.ts';

/** Rules of one table and one plug-in, which are evaluated together on one document. */
interface RuleGroup {
  readonly table: RecordType | string;
  readonly validator: string;
  readonly rules: ActiveRule[];
}

interface RuleResult {
  readonly rule: ActiveRule;
  readonly verdict: RuleVerdict;
}

/**
 * The business rules of BusinessRule records. Each process caches the active rules; a change made by any process is
 * seen within half a second, and a table without rules costs one map lookup.
 */
export class StoredBusinessRules implements BusinessRules {
  private readonly configuration: Configuration;
  private readonly settings: Settings;

  constructor(configuration: Configuration, settings: Settings) {
    this.configuration = configuration;
    this.settings = settings;
  }

  async applies(of: RecordType | string, operation: string): Promise<boolean> {
    const activeRules = await this.known();
    if (activeRules.size === 0 || !this.settings.get(businessRuleEnabled)) return false;
    const name = operation.toLowerCase();
    return tablesOf(of).some((table) => activeRules.has(`${tableName(table).toLowerCase()}/${name}`));
  }

  async enforce(ctx: Context, event: RuleEvent): Promise<void> {
    const known = await this.known();
    const day = today(ctx);
    const groups: RuleGroup[] = [];
    for (const table of tablesOf(event.of)) {
      for (const rule of known.get(`${tableName(table)}/${event.operation}`.toLowerCase()) ?? []) {
        if ((rule.startDate ?? day) > day || (rule.endDate ?? day) < day) continue;
        const validator = rule.validator ?? DEFAULT_RULE_VALIDATOR;
        const group = groups.find((one) => one.table === table && one.validator === validator);
        if (group) group.rules.push(rule);
        else groups.push({ table, validator, rules: [rule] });
      }
    }
    const results: RuleResult[] = [];
    for (const group of groups) results.push(...(await evaluateGroup(ctx, event, group)));
    // Reported in rule order, whichever provider ran them.
    results.sort((a, b) => a.rule.position - b.rule.position);
    applyVerdicts(ctx, event, results);
  }

  private known(): Promise<ActiveRules> {
    // A call such as an import may run for long: rules changed meanwhile apply to its next row.
    const stale = this.configuration.ensureFresh();
    return stale ? stale.then(() => this.cached()) : this.cached();
  }

  private cached(): Promise<ActiveRules> {
    return this.configuration.get(
      'businessrules',
      () => loadActiveRules(this.configuration.db),
      this.settings.get(businessRuleCacheDuration) * 60_000,
    );
  }
}

/** Returns the record type and its base types: a rule on a base type applies to all types derived from it. */
function tablesOf(of: RecordType | string): readonly (RecordType | string)[] {
  if (typeof of === 'string') return [of];
  const tables: RecordType[] = [];
  for (let at: RecordType | undefined = of; at; at = at.base) tables.push(at);
  return tables;
}

function tableName(table: RecordType | string): string {
  return typeof table === 'string' ? table : table.name;
}

async function evaluateGroup(
  ctx: Context,
  event: RuleEvent,
  { table, validator: name, rules }: RuleGroup,
): Promise<readonly RuleResult[]> {
  const failedAll = (failure: string): readonly RuleResult[] =>
    rules.map((rule) => ({ rule, verdict: { exceptions: [], warnings: [], output: '', failure } }));
  const without = rules.filter((rule) => (rule.text ?? '') === '');
  if (without.length > 0)
    return without.map((rule) => ({
      rule,
      verdict: { exceptions: [], warnings: [], output: '', failure: 'it has no stylesheet' },
    }));
  if (!ctx.providers.names(RULE_VALIDATOR).some((known) => known.toLowerCase() === name.toLowerCase()))
    return failedAll(`there is no provider ${name}`);
  try {
    const validator = ctx.providers.get(RULE_VALIDATOR, name);
    const verdicts = await validator.validate({
      rules: rules.map(({ text }) => text ?? ''),
      xml: ruleDocument(ctx, event, table),
      scope: sandboxScope(ctx.user),
    });
    return rules.map((rule, i) => ({
      rule,
      verdict: verdicts[i] ?? { exceptions: [], warnings: [], output: '', failure: 'its provider returned no verdict' },
    }));
  } catch (error) {
    if (!(error instanceof PlatformError) || (error.code !== 'TOO_MANY' && error.code !== 'UNAVAILABLE')) throw error;
    throw new PlatformError('UNAVAILABLE', {
      message:
        `The business rules of ${tableName(table)} cannot be evaluated now: too many calls are waiting for ` +
        'rules. Nothing was changed; send the call again.',
      details: { RetryAfterSeconds: error.details?.['RetryAfterSeconds'] ?? 5 },
      cause: error,
    });
  }
}

/** Most exceptions reported by one call, over all its rules. */
const EXCEPTIONS_MAX = 200;

/** Returns a single text as the rule wrote it; of several, each as a sentence. */
function exceptionsText(texts: readonly string[]): string {
  const [only, ...more] = texts;
  if (more.length === 0) return only ?? '';
  return texts.map((text) => (/[.!?]\s*$/.test(text) ? text : `${text}.`)).join(' ');
}

function applyVerdicts(ctx: Context, { of, operation }: RuleEvent, results: readonly RuleResult[]): void {
  const what = `${tableName(of)}, ${operation}`;
  const failures = results.flatMap(({ rule, verdict }) =>
    verdict.failure === undefined
      ? []
      : [
          {
            rule,
            text: maskedStart(`The business rule "${rule.name}" could not be run: ${verdict.failure}.`, 600),
          },
        ],
  );
  if (failures.length > 0) {
    throw new PlatformError('RULE_FAILED', {
      message:
        `${failures.map(({ text }) => text).join(' ')} Nothing was changed (${what}). Correct the rule with ` +
        'businessrule/try, or set its Status to Inactive.',
      details: { Rules: failures.map(({ rule }) => rule.name), BusinessRuleIDs: failures.map(({ rule }) => rule.id) },
    });
  }
  const exceptions = results
    .flatMap(({ rule, verdict }) => verdict.exceptions.map((text) => ({ rule, text })))
    .slice(0, EXCEPTIONS_MAX);
  if (exceptions.length > 0) {
    throw new PlatformError('RULE_EXCEPTION', {
      message: exceptionsText(exceptions.map(({ text }) => text)),
      details: {
        Exceptions: exceptions.map(({ text }) => text),
        Rules: [...new Set(exceptions.map(({ rule }) => rule.name))],
      },
      // XML renders a list of details as one text, so each alert is separate.
      alerts: exceptions.map(({ rule, text }) => ({ code: 'RULE_EXCEPTION', text, id: rule.id })),
    });
  }
  for (const { rule, verdict } of results)
    for (const text of verdict.warnings) ctx.alert({ code: RULE_WARNING, text, id: rule.id });
}
