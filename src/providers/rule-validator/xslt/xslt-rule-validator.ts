import type { RuleQuestion, RuleValidator, RuleVerdict } from '../../../contracts/rule-validator.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Sandbox } from '../../../kernel/xml/sandbox/sandbox.ts';
import { checkStylesheet } from '../../../kernel/xml/stylesheet.ts';
import { parseVerdict } from './verdict.ts';

/** The most that one rule may write, in bytes. */
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** Whose work it is to check what is saved: it sees no data. */
const CONFIGURATION_SCOPE = 'configuration';

/**
 * Rules in XSLT 1.0. Each `<Exception>` that a stylesheet writes, anywhere in its output, refuses the change; each
 * `<Warning>` is reported. All rules of an event go to a thread of the sandbox together, which costs little more than
 * one.
 */
export class XsltRuleValidator implements RuleValidator {
  private readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  async check(text: string): Promise<void> {
    checkStylesheet(text);
    await this.sandbox.compile(text, CONFIGURATION_SCOPE);
  }

  async validate({ rules, xml, scope }: RuleQuestion): Promise<readonly RuleVerdict[]> {
    try {
      const outputs = await this.sandbox.transformEach({
        stylesheets: rules,
        xml,
        scope,
        outputBytesMax: OUTPUT_BYTES_MAX,
      });
      return outputs.map((made) =>
        'output' in made
          ? parseVerdict(made.output)
          : failed(`it ${made.line === undefined ? '' : `(line ${made.line}) `}${made.message}`),
      );
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'BAD_OUTPUT') throw error;
      // The rule that was running is at fault. Those after it did not run, and the change is refused anyway.
      const index = Number(error.details?.['index'] ?? 0);
      const { message } = error;
      return rules.map((_, i) =>
        i === index
          ? failed(message.replace(/^Transform: /, '').replace(/\.$/, ''))
          : { exceptions: [], warnings: [], output: '' },
      );
    }
  }
}

function failed(failure: string): RuleVerdict {
  return { exceptions: [], warnings: [], output: '', failure };
}
