import type { Registry } from '../../../src/kernel/declare/registry.ts';
import type { Operation } from '../../../src/kernel/declare/operation.ts';
import { describeOperation } from '../../../src/surfaces/openapi/describe.ts';

/** What names of a guide are looked up in. */
export interface KnownNames {
  readonly registry: Registry;
  /** Every word of the source and the samples, and every permission. */
  readonly words: ReadonlySet<string>;
  /** Names of other programs, and examples that a guide makes up. */
  readonly others: ReadonlySet<string>;
}

/**
 * Returns the names in code style of a guide that do not exist, as `file:line: name`: operations, their parameters,
 * settings, and any other name in the spelling of fields, permissions and codes. Fenced blocks are left out.
 */
export function unknownMentions(path: string, markdown: string, known: KnownNames): string[] {
  const own = new Set((markdown.match(/^ *```[^]*?^ *```/gm) ?? []).flatMap((block) => block.match(/\w+/g) ?? []));
  const isWord = (name: string): boolean => known.words.has(name) || own.has(name) || known.others.has(name);
  let isFenced = false;
  let isSettings = false;
  return markdown.split('\n').flatMap((line, index) => {
    if (/^ *```/.test(line)) isFenced = !isFenced;
    if (isFenced) return [];
    if (!line.startsWith('|')) isSettings = false;
    if (line.startsWith('| Setting |')) isSettings = true;
    const spans = [...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
    const problems = spans.flatMap((span) => unknownIn(span, known, isWord));
    const settings = isSettings && line.startsWith('| `') ? settingsOfRow(line) : settingsOfText(line);
    problems.push(...settings.filter((name) => !hasSetting(known, name)).map((name) => `${name} is no setting`));
    return problems.map((problem) => `${path}:${index + 1}: ${problem}`);
  });
}

const names = (text: string): string[] => [...text.matchAll(/`([A-Z]\w+)`/g)].map(([, name = '']) => name);

/** The first cell of a row. */
const settingsOfRow = (line: string): string[] => names(line.split('|')[1] ?? '').slice(0, 1);

/** Names directly after the word: "the settings `A`, `B` and `C`". */
const settingsOfText = (line: string): string[] =>
  [...line.matchAll(/\bsettings? ((?:`[A-Z]\w+`(?:,? and |, | or )?)+)/g)].flatMap(([, list = '']) => names(list));

const hasSetting = ({ registry }: KnownNames, name: string): boolean =>
  registry.settings.some((setting) => setting.name === name);

function unknownIn(span: string, known: KnownNames, isWord: (name: string) => boolean): string[] {
  const [, prefix, module = '', operation = '', query] =
    /^(?:GET |POST )?(\/api\/)?([A-Za-z]+)\/((?:[A-Za-z]+\/)*[A-Za-z]+)(?:\?(.*))?$/.exec(span) ?? [];
  const isCall =
    prefix !== undefined ||
    query !== undefined ||
    known.registry.hasModule(module) ||
    known.registry.operation(`contact/${operation}`) !== undefined;
  if (module !== '' && isCall) return unknownCall(module, operation, query ?? '', known);
  if (!/^[A-Z]\w*[a-z]\w*$|^[A-Z]+_[A-Z_]+$/.test(span) || isWord(span)) return [];
  // Columns of linked records and of children: Property_City, Contacts_0_Email. Elements: LoanItem.
  const parts = span.split('_').map((part) => part.replace(/(?<=.)Item$/, ''));
  return parts.every((part) => part === '' || isWord(part) || isWord(`${part}ID`)) ? [] : [`${span} exists nowhere`];
}

function unknownCall(module: string, path: string, query: string, known: KnownNames): string[] {
  const route = `${module}/${path.replace(/^queue\//, '')}`.toLowerCase();
  if (known.others.has(route)) return [];
  const sent = path.replace(/^queue\//, '');
  const found = known.registry.find(module.toLowerCase(), sent.toLowerCase(), sent)?.operation;
  if (found === undefined) return [`there is no operation ${route}`];
  const parameters = parametersOf(found, known.registry);
  return query
    .split('&')
    .map((each) => each.split('=')[0] ?? '')
    .filter((name) => /^\w+$/.test(name) && !parameters.isKnown(name))
    .map((name) => `${route} has no parameter ${name}`);
}

function parametersOf(operation: Operation, registry: Registry): { isKnown: (name: string) => boolean } {
  const { schema } = describeOperation(registry, operation);
  const known = new Set(Object.keys(schema['properties'] ?? {}).map((name) => name.toLowerCase()));
  const isOpen = operation.free === 'any';
  return {
    isKnown: (name) =>
      isOpen || known.has(name.toLowerCase()) || COMMON.has(name) || registry.searchFilter(name) !== undefined,
  };
}

/** Parameters that every call takes. */
const COMMON: ReadonlySet<string> = new Set(['ID', 'Output', 'Transform', '_Transform', 'SubscriberID']);
