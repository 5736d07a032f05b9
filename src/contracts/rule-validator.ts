import { contract } from '../kernel/ports/providers.ts';

/** The validator of rules that do not name one. */
export const DEFAULT_RULE_VALIDATOR = 'XsltRuleValidator';

/** A rule's result for one event. */
export interface RuleVerdict {
  /** Objections to the change, each a text for the caller. With any, nothing is saved. */
  readonly exceptions: readonly string[];
  /** Warnings for the caller; the change continues. */
  readonly warnings: readonly string[];
  /** The rule's raw output, for its author. */
  readonly output: string;
  /** Why the rule could not be run, for its author; the change is refused. */
  readonly failure?: string;
}

/** Rules to evaluate for one event. */
export interface RuleQuestion {
  /** The rules' texts, in order of evaluation. */
  readonly rules: readonly string[];
  /** `<LoanBusinessRuleItem>` with the record and the call's parameters; see docs/guides/analysts/business-rules.md. */
  readonly xml: string;
  /** Whose data it is, such as a firm: runs of different scopes must not see one another. */
  readonly scope: string;
}

/**
 * Evaluates an installation's rules, in the plug-in's language. It computes only: it changes nothing, keeps no state
 * between calls, and limits its own time, memory and output.
 *
 * @example
 * const xml = '<LoanBusinessRuleItem Operation="Insert"><LoanItem/></LoanBusinessRuleItem>';
 * const [verdict] = await validator.validate({ rules: [text], xml, scope: 'staff' });
 */
export interface RuleValidator {
  /**
   * Checks a rule when it is saved.
   * @throws PlatformError naming the field Stylesheet, with `details.line` if known
   */
  check(text: string): Promise<void>;
  /**
   * Evaluates every rule, even after one refused or failed, so that the caller gets all results at once. Returns one
   * verdict for each, in order. Throws nothing for a faulty rule.
   * @throws TOO_MANY, UNAVAILABLE if none can be run at the moment
   */
  validate(question: RuleQuestion): Promise<readonly RuleVerdict[]>;
}

/** Validators, by the name that rules use. */
export const RULE_VALIDATOR = contract<RuleValidator>('rule-validator');
