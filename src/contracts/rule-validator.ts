/** The contract's name in the registry of providers. */
export const RULE_VALIDATOR = 'rule-validator';
/** The validator of rules that name none. */
export const DEFAULT_RULE_VALIDATOR = 'XsltRuleValidator';

/** What a rule says about one event. */
export interface RuleVerdict {
  /** Why the change must not be, each a text for the caller. With one of them nothing is saved. */
  readonly exceptions: readonly string[];
  /** What the caller is told while the change goes on. */
  readonly warnings: readonly string[];
  /** What the rule made, as it made it; for those who write one. */
  readonly output: string;
  /** Why the rule could not be run, in words for who wrote it; the change is refused then. */
  readonly failure?: string;
}

/** Rules over one event, and for whom. */
export interface RuleQuestion {
  /** The rules' texts, in the order in which they are asked. */
  readonly rules: readonly string[];
  /** `<LoanBusinessRuleItem>` with the record and the call's parameters, as docs/guides/analysts/business-rules.md shows it. */
  readonly xml: string;
  /** Whose data it is, such as a firm: what runs for one must never see what ran for another. */
  readonly scope: string;
}

/**
 * Runs the rules that an installation writes, in whatever language the plug-in reads. It computes: it changes nothing, keeps
 * nothing between questions, and is bounded in time, memory and output by itself.
 *
 * @example
 * const [verdict] = await validator.validate({ rules: [text], xml: '<LoanBusinessRuleItem Operation="Insert"><LoanItem/></LoanBusinessRuleItem>', scope: 'staff' });
 */
export interface RuleValidator {
  /** Refuses a text that is no rule, when it is saved. @throws PlatformError that names the field Stylesheet, with `details.line` where there is one */
  check(text: string): Promise<void>;
  /**
   * Asks every rule, also after one refused or failed: the caller is told all at once. One verdict for each, in their order.
   * @throws TOO_MANY, UNAVAILABLE where none can be run at the moment; nothing is thrown for a fault of a rule
   */
  validate(question: RuleQuestion): Promise<readonly RuleVerdict[]>;
}
