import { Context, Liquid, toValueSync, type Template } from 'liquidjs';
import { valueText } from '../../kernel/parameters/value-text.ts';
import type { LiquidProblem, LiquidReply, LiquidTask, LiquidText } from './liquid-task.ts';

/** Most characters of one template. */
const TEMPLATE_CHARACTERS_MAX = 500_000;
/** Time to render one text; the thread's own limit also ends what does not check it. */
const RENDER_MILLISECONDS = 2_000;
/** Most items and characters that filters and ranges of one text allocate. */
const MEMORY_MAX = 20_000_000;
/** Most characters of one output. */
const OUTPUT_CHARACTERS_MAX = 2_000_000;

/** Tags that read other templates: there are no files. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

/** Renders the texts of a task, or only checks them; the first problem ends it. */
export function renderTask({ texts, data, strictVariables, timeZone }: LiquidTask): LiquidReply {
  const outputs: string[] = [];
  const variables: (readonly string[])[] = [];
  for (const text of texts) {
    try {
      const engine = engineFor(text, { strictVariables, timeZone });
      const templates = engine.parse(text.text);
      if (data === undefined) variables.push(engine.globalVariablesSync(templates));
      else outputs.push(rendered(engine, templates, data));
    } catch (error) {
      return { problem: problemOf(text, error) };
    }
  }
  return { outputs, variables };
}

function engineFor({ html }: LiquidText, options: Pick<LiquidTask, 'strictVariables' | 'timeZone'>): Liquid {
  const engine = new Liquid({
    templates: {},
    strictFilters: true,
    strictVariables: options.strictVariables,
    // `{% if X %}` and `X | default: …` test whether there is a value.
    lenientIf: true,
    ownPropertyOnly: true,
    timezoneOffset: options.timeZone,
    ...(html ? { outputEscape: 'escape' as const } : {}),
    parseLimit: TEMPLATE_CHARACTERS_MAX,
    renderLimit: RENDER_MILLISECONDS,
    memoryLimit: MEMORY_MAX,
  });
  for (const tag of FILE_TAGS) Reflect.deleteProperty(engine.tags, tag);
  return engine;
}

function rendered(engine: Liquid, templates: Template[], data: Readonly<Record<string, unknown>>): string {
  const output = new LimitedOutput();
  const context = new Context({ ...data }, engine.options, { sync: true });
  toValueSync(engine.renderer.renderTemplates(templates, context, output));
  return output.buffer;
}

/** Collects the output of a template, up to a limit. */
class LimitedOutput {
  buffer = '';

  write(part: unknown): void {
    const text = textOf(part);
    if (this.buffer.length + text.length > OUTPUT_CHARACTERS_MAX)
      throw new Error(`its output has more than ${OUTPUT_CHARACTERS_MAX} characters`);
    this.buffer += text;
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return valueText(value);
}

/** The errors of the library name their token. */
interface LiquidFault {
  readonly message?: unknown;
  readonly token?: { getPosition?: () => [number, number] };
}

function problemOf({ name }: LiquidText, error: unknown): LiquidProblem {
  const { message, token } = error as LiquidFault;
  const line = token?.getPosition?.()[0];
  const reason = String(message).replace(/, line:\d+, col:\d+$/, '');
  const [, variable] = /^undefined variable: ([\w.-]+)/.exec(reason) ?? [];
  return {
    name,
    message: reason.slice(0, 300),
    ...(line === undefined ? {} : { line }),
    ...(variable === undefined ? {} : { variable }),
  };
}
