import { parseFieldPath } from '../../../../kernel/declare/field-path.ts';
import { columnLabel } from '../../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import {
  PANELS,
  parseContent,
  SIDE,
  TABS,
  wrongLayout,
  type LayoutContent,
  type LayoutFact,
  type LayoutPanel,
} from '../../../../lib/page-layouts/content.ts';

/**
 * Parses the content of a layout for a record type. Names of fields, panels and tabs are returned as they are declared.
 *
 * @throws BAD_PARAMETER that names the first wrong part and what was expected, unknown fields with the nearest ones
 */
export function parseLayout(registry: Registry, record: RecordType, text: string): LayoutContent {
  const { header, milestones, panels, side, tabs } = parseContent(text);
  const fact = ({ field, ...more }: LayoutFact): LayoutFact => ({
    field: parseFieldPath(registry, record, field, 'Layout').path,
    ...more,
  });
  const content = {
    header: header.map(fact),
    milestones,
    panels: panels.map(({ panel, title, facts = [] }, at): LayoutPanel => {
      if (panel !== undefined) return { panel: oneOf(PANELS, panel, `panels ${at + 1}`) };
      return { ...(title !== undefined && { title }), facts: facts.map(fact) };
    }),
    side: side.map((name) => oneOf(SIDE, name, 'side')),
    tabs: tabs.map((name) => oneOf(TABS, name, 'tabs')),
  };
  if (!content.tabs.includes('Overview')) throw wrongLayout('tabs must contain Overview');
  return content;
}

function oneOf(known: readonly string[], text: string, at: string): string {
  const found = known.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw wrongLayout(`${at} has an unknown entry "${text}"`, namesHint(text, known));
  return found;
}

/** A problem of a layout. */
export interface LayoutProblem {
  readonly Severity: 'Error' | 'Warning';
  readonly Title: string;
  readonly Description: string;
  /** The list that it is about, as in edits: `header`, `panels/2`, `tabs`. */
  readonly List: string;
  /** The place in the list, from 0; absent if it is about the list. */
  readonly At?: number;
}

/** Returns the problems of a layout, errors first. Layouts with errors cannot be published. */
export function layoutProblems(registry: Registry, record: RecordType, content: LayoutContent): LayoutProblem[] {
  const factLists: readonly (readonly [list: string, name: string, facts: readonly LayoutFact[]])[] = [
    ['header', 'the header', content.header],
    ...content.panels.flatMap(({ title, facts }, at) =>
      facts ? [[`panels/${at}`, `the panel ${title ?? ''}`, facts] as const] : [],
    ),
  ];
  const problems = [
    ...factLists.flatMap(([list, , facts]) => unknownFields(registry, record, list, facts)),
    ...unknownNames(
      'panels',
      content.panels.map(({ panel }) => panel),
      PANELS,
    ),
    ...unknownNames('side', content.side, SIDE),
    ...unknownNames('tabs', content.tabs, TABS),
    ...(content.tabs.some((name) => name.toLowerCase() === 'overview')
      ? []
      : [problem('Error', 'tabs', 'Overview is missing', 'The page opens with this tab.')]),
    ...repeatedFacts(factLists, (fact) => factLabel(registry, record, fact)),
    ...repeatedNames(content),
    ...emptyPanels(content),
  ];
  return problems.sort((a, b) => Number(a.Severity !== 'Error') - Number(b.Severity !== 'Error'));
}

function problem(
  Severity: LayoutProblem['Severity'],
  place: string | readonly [list: string, at: number],
  Title: string,
  Description: string,
): LayoutProblem {
  const [List, At] = typeof place === 'string' ? [place] : place;
  return { Severity, Title, Description, List, ...(At !== undefined && { At }) };
}

function unknownFields(
  registry: Registry,
  record: RecordType,
  list: string,
  facts: readonly LayoutFact[],
): LayoutProblem[] {
  return facts.flatMap(({ field, label }, at) => {
    try {
      parseFieldPath(registry, record, field, 'Layout');
      return [];
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const reason = error.message.replace(/^Layout: /, '');
      return [problem('Error', [list, at], `${label ?? field} no longer exists`, reason)];
    }
  });
}

function unknownNames(list: string, names: readonly (string | undefined)[], known: readonly string[]): LayoutProblem[] {
  return names.flatMap((name, at) =>
    name === undefined || known.some((each) => each.toLowerCase() === name.toLowerCase())
      ? []
      : [problem('Error', [list, at], `${name} does not exist`, `Known are ${known.join(', ')}.`)],
  );
}

function repeatedFacts(
  lists: readonly (readonly [list: string, name: string, facts: readonly LayoutFact[]])[],
  labelOf: (fact: LayoutFact) => string,
): LayoutProblem[] {
  const first = new Map<string, string>();
  return lists.flatMap(([list, name, facts]) =>
    facts.flatMap((fact, at) => {
      const key = fact.field.toLowerCase();
      const other = first.get(key);
      if (other === undefined) first.set(key, name);
      return other === undefined
        ? []
        : [problem('Warning', [list, at], `${labelOf(fact)} is shown twice`, `It is also in ${other}.`)];
    }),
  );
}

/** Returns the label that cases show for a fact; the path of a field that no longer exists. */
function factLabel(registry: Registry, record: RecordType, { field, label }: LayoutFact): string {
  if (label !== undefined) return label;
  try {
    const { record: of, column } = parseFieldPath(registry, record, field, 'Layout');
    return columnLabel(of, column.name);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return field;
  }
}

function repeatedNames({ panels, side, tabs, milestones }: LayoutContent): LayoutProblem[] {
  const lists = [
    ['panels', panels.map(({ panel, title }) => panel ?? title ?? '')],
    ['side', side],
    ['tabs', tabs],
    ['milestones', milestones],
  ] as const;
  return lists.flatMap(([list, names]) =>
    names.flatMap((name, at) =>
      names.indexOf(name) === at
        ? []
        : [problem('Warning', [list, at], `${name} is there twice`, 'Cases show it twice.')],
    ),
  );
}

function emptyPanels({ panels }: LayoutContent): LayoutProblem[] {
  return panels.flatMap(({ title, facts }, at) =>
    facts?.length === 0
      ? [
          problem(
            'Warning',
            ['panels', at],
            `The panel ${title ?? ''} is empty`,
            'Cases do not show it. Add a fact, or remove the panel.',
          ),
        ]
      : [],
  );
}
