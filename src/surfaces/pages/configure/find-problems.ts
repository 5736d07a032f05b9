import type { OperationName } from '../../../kernel/declare/catalog.ts';
import { openPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { readProblems, readTemplateFile } from './document-type-file.ts';
import { readGenerators } from './document-type-form.ts';

/** Something in the configuration that is wrong or probably not meant. */
export interface ConfigurationProblem {
  /** The record that has it, and the page that fixes it. */
  readonly name: string;
  readonly href: string;
  readonly text: string;
  /** What does not work with it, as opposed to a warning. */
  readonly isError: boolean;
}

/** What was found in one area. */
export interface CheckedArea {
  readonly problems: readonly ConfigurationProblem[];
  readonly checked: number;
  /** Records that were not checked, because there are too many. */
  readonly unchecked: number;
  /** When, in ISO 8601. */
  readonly at: string;
}

/** A kind of configuration that is checked as a whole. */
export interface ProblemArea {
  readonly id: string;
  readonly title: string;
  /** What is looked for. */
  readonly text: string;
  readonly needs: readonly OperationName[];
  readonly find: (call: PageCall) => Promise<Omit<CheckedArea, 'at'>>;
}

/** Records of an area that are checked, the first by name. */
const CHECKED_MAX = 200;
/** Age at which an area is checked again without a change of configuration, as drafts and template files are none. */
const AGE_MAX = 5 * 60_000;

/** The areas that are checked. Whoever may not change a kind of configuration is not shown its problems. */
const areas: readonly ProblemArea[] = [
  {
    id: 'document-types',
    title: 'Document types',
    text: 'Templates that are missing, cannot be read, or name fields that do not exist',
    needs: ['attachmenttemplate/save', 'attachmenttemplate/search', 'attachmenttemplate/check', 'attachment/search'],
    find: findInDocumentTypes,
  },
  {
    id: 'matrices',
    title: 'Decision tables',
    text: 'Gaps, conflicts, rows that are never used, and cells that cannot be read',
    needs: ['matrix/savedraft', 'matrix/search', 'matrix/draft'],
    find: findInMatrices,
  },
  {
    id: 'layouts',
    title: 'Page layouts',
    text: 'Fields that do not exist, entries that are shown twice, and empty panels',
    needs: ['pagelayout/savedraft', 'pagelayout/search', 'pagelayout/draft'],
    find: findInLayouts,
  },
];

/** Returns the areas whose problems the user can fix. */
export function problemAreas(call: PageCall): readonly ProblemArea[] {
  return call.user.universal ? areas.filter(({ needs }) => needs.every((name) => call.may(name))) : [];
}

/**
 * Checks an area, once for all users until configuration changes. Configuration is the same for all whom
 * {@link problemAreas} offers it.
 */
export function checkArea(call: PageCall, { id, find }: ProblemArea): Promise<CheckedArea> {
  return call.platform.configuration.get(
    `problems of ${id}`,
    async () => ({ ...(await find(call)), at: call.platform.clock.now() }),
    AGE_MAX,
  );
}

async function findInDocumentTypes(call: PageCall): Promise<Omit<CheckedArea, 'at'>> {
  const [generators, { answer }] = await Promise.all([
    readGenerators(call),
    call.call('attachmenttemplate/search', {
      AttachmentService: 'not null',
      OrderBy: 'AttachmentTemplate',
      DisplaySize: CHECKED_MAX,
    }),
  ]);
  const problems: ConfigurationProblem[] = [];
  for (const row of answer.rows) {
    const id = row.AttachmentTemplateID;
    const of = { name: row.AttachmentTemplate ?? `Document type ${id}`, href: openPath('attachmenttemplate', id) };
    const generator = generators.find(({ Generator }) => Generator === row.AttachmentService);
    if (!generator) {
      problems.push({ ...of, text: `There is no generator ${row.AttachmentService ?? ''}.`, isError: true });
      continue;
    }
    if (generator.Templates === '') continue;
    const file = await readTemplateFile(call, id);
    if (!file && generator.NeedsTemplate)
      problems.push({ ...of, text: 'It has no template, and nothing can be generated without one.', isError: true });
    if (file)
      for (const { Problem: text, Warning: isWarning } of (await readProblems(call, id)) ?? [])
        problems.push({ ...of, text, isError: !isWarning });
  }
  return { problems, ...counted(answer.rows) };
}

/** What a finding of a matrix and a problem of a layout have in common. */
interface SentProblem {
  readonly Severity: 'Error' | 'Warning';
  readonly Title: string;
  readonly Description: string;
  readonly AcceptedReason?: unknown;
}

async function findInMatrices(call: PageCall): Promise<Omit<CheckedArea, 'at'>> {
  const { answer } = await call.call('matrix/search', { OrderBy: 'Matrix', DisplaySize: CHECKED_MAX });
  const problems: ConfigurationProblem[] = [];
  for (const { MatrixID: id, Matrix: name } of answer.rows) {
    const { row } = (await call.call('matrix/draft', { ID: id })).answer;
    problems.push(...named(row.Findings as readonly SentProblem[], name ?? `Matrix ${id}`, openPath('matrix', id)));
  }
  return { problems, ...counted(answer.rows) };
}

async function findInLayouts(call: PageCall): Promise<Omit<CheckedArea, 'at'>> {
  const { answer } = await call.call('pagelayout/search', { OrderBy: 'PageLayout', DisplaySize: CHECKED_MAX });
  const problems: ConfigurationProblem[] = [];
  for (const { PageLayoutID: id, PageLayout: name } of answer.rows) {
    const { row } = (await call.call('pagelayout/draft', { ID: id })).answer;
    const found = row.Problems as unknown as readonly SentProblem[];
    problems.push(...named(found, name ?? `Layout ${id}`, openPath('pagelayout', id)));
  }
  return { problems, ...counted(answer.rows) };
}

/** Returns problems that nobody has accepted as right. */
function named(found: readonly SentProblem[], name: string, href: string): readonly ConfigurationProblem[] {
  return found
    .filter(({ AcceptedReason: reason }) => typeof reason !== 'string')
    .map(({ Severity: severity, Title: title, Description: more }) => ({
      name,
      href,
      text: `${title}: ${more}`,
      isError: severity === 'Error',
    }));
}

function counted(
  rows: readonly { readonly RecordCount?: number | null }[],
): Pick<CheckedArea, 'checked' | 'unchecked'> {
  const all = rows[0]?.RecordCount ?? rows.length;
  return { checked: rows.length, unchecked: Math.max(0, all - rows.length) };
}
