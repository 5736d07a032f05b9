import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { Differences } from '../../../lib/decision-tables/differences.ts';
import type { Grid } from '../../../lib/decision-tables/grid.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { rangeFix, type RangeFix } from './range-fix.ts';
import { marksOf, type RowMark, type SentFinding } from '../shared/matrix-cell.ts';
import type { EditorProblem, EditorPublishing, ProblemCounts } from './editor-shell.ts';

/** A matrix as it is edited: what `matrix/draft` returns, with types for its JSON. */
export interface MatrixDraft {
  readonly id: number;
  /** The address of its page. */
  readonly address: string;
  readonly name: string;
  /** What people call all of them. */
  readonly plural: string;
  /** The version of the draft; 0 if there is none. */
  readonly version: number;
  readonly published: number;
  readonly base: number;
  readonly updatedDate: string | null;
  readonly updatedPersonId: number | null;
  readonly grid: Grid;
  readonly differences: Differences;
  readonly findings: readonly SentFinding[];
  readonly marks: readonly RowMark[];
  readonly mayEdit: boolean;
}

/** Returns the id in the address. @throws NOT_FOUND */
export function matrixId(call: PageCall): number {
  const id = Number(call.path['id']);
  if (!Number.isSafeInteger(id) || id <= 0) throw new PlatformError('NOT_FOUND');
  return id;
}

/** Reads a matrix as it is edited. */
export async function readDraft(call: PageCall): Promise<MatrixDraft> {
  const id = matrixId(call);
  const { answer } = await call.call('matrix/draft', { ID: id });
  return draftOf(call, answer.row);
}

function draftOf(call: PageCall, row: AnswerRowFor<'matrix/draft'>): MatrixDraft {
  const grid = row.Grid;
  const findings = row.Findings as readonly SentFinding[];
  return {
    id: row.MatrixID,
    address: `/configure/matrices/${row.MatrixID}`,
    name: row.Matrix ?? '',
    plural: call.platform.registry.titlePluralOf('Matrix'),
    version: row.Version,
    published: row.Published,
    base: row.Base,
    updatedDate: row.UpdatedDate ?? null,
    updatedPersonId: row.UpdatedPersonID ?? null,
    grid,
    differences: row.Differences,
    findings,
    marks: marksOf(findings, grid),
    mayEdit: call.may('matrix/savedraft'),
  };
}

/** What a kind of finding is called, one and many. */
const findingWords: Readonly<Record<string, readonly [string, string]>> = {
  Tie: ['conflict', 'conflicts'],
  Duplicate: ['duplicate', 'duplicates'],
  Overlap: ['overlap', 'overlaps'],
  Gap: ['gap', 'gaps'],
  Unreachable: ['row never used', 'rows never used'],
  Unreadable: ['unreadable cell', 'unreadable cells'],
};

/** Counts findings by kind, errors first. Accepted ones are not counted. */
export function countProblems({ findings }: Pick<MatrixDraft, 'findings'>): ProblemCounts[] {
  const open = findings.filter(({ AcceptedReason }) => typeof AcceptedReason !== 'string');
  const groups = Map.groupBy(open, ({ Finding, Severity }) => `${Severity} ${findingWords[Finding]?.[0] ?? 'warning'}`);
  return [...groups.values()].map((group) => {
    const [one, many] = findingWords[group[0]?.Finding ?? ''] ?? ['warning', 'warnings'];
    return {
      text: `${group.length} ${group.length === 1 ? one : many}`,
      severity: group[0]?.Severity === 'Error' ? 'error' : 'warning',
    };
  });
}

/** Returns the findings as problems of the editor. `people`: the names of those who accepted warnings. */
export function problemsOf(draft: MatrixDraft, people: Labels): EditorProblem[] {
  return draft.findings.map((finding) => {
    const { Severity, Title, Description, Row, AcceptedReason, AcceptedPersonID } = finding;
    const isAccepted = typeof AcceptedReason === 'string';
    const by = people.get('Person')?.get(AcceptedPersonID ?? 0) ?? 'Somebody';
    const open = Severity === 'Error' ? ('error' as const) : ('warning' as const);
    return {
      severity: isAccepted ? 'accepted' : open,
      kind: finding.Finding,
      title: `${Title}${Title === 'Gap' ? ':' : '.'}`,
      text: isAccepted ? `${Description} ${by}: “${AcceptedReason}”` : Description,
      href: typeof Row === 'number' && Row > 0 ? `#row-${Row}` : undefined,
      action: draft.mayEdit && problemAction(draft, finding),
    };
  });
}

function problemAction({ address, grid }: MatrixDraft, finding: SentFinding): Markup {
  const { Finding, Severity, Key, Cells, AcceptedReason } = finding;
  const accept = html`<a class="link" href="${address}/accept?Key=${Key}">${
    typeof AcceptedReason === 'string' ? 'Withdraw' : 'This is right'
  }</a>`;
  if (typeof AcceptedReason === 'string') return accept;
  if (Severity === 'Error') return fixLink(address, grid, rangeFix(grid, finding));
  if (Finding !== 'Gap' || !Cells || Object.keys(Cells).length === 0) return accept;
  const query = new URLSearchParams(
    Object.entries(Cells).map(([name, cell]): [string, string] => [`cell.${name}`, cell]),
  );
  return html`<a class="link" href="${address}/rows/new?${query.toString()}" data-command="fill"
data-cells="${JSON.stringify(Cells)}">Add a row</a> ${accept}`;
}

/** Renders the way to end a tie: a script changes the cell, without script its row is a form. */
function fixLink(address: string, { columns }: Grid, fix: RangeFix | undefined): Markup {
  if (!fix) return html``;
  const { row, column, text, label } = fix;
  const query = new URLSearchParams([[`cell.${columns[column]?.name ?? ''}`, text]]);
  return html`<a class="link" href="${address}/rows/${row + 1}?${query.toString()}" data-command="set"
data-cell="${JSON.stringify({ row, column, text })}">${label}</a>`;
}

/** Returns how the draft can be published, and what keeps it from being. */
export function publishingOf({ address, findings, differences, mayEdit }: MatrixDraft): EditorPublishing | undefined {
  if (!mayEdit) return undefined;
  const href = `${address}/publish`;
  const errors = findings.filter(({ Severity }) => Severity === 'Error');
  if (errors.length > 0) {
    const words = countProblems({ findings: errors });
    return { href, refusal: { text: `Fix ${words[0]?.text ?? 'errors'} to publish`, href: problemHref(errors[0]) } };
  }
  const isSame = differences.rows.length + differences.columns.length === 0;
  return { href, refusal: isSame ? { text: 'No changes to publish', href: '#main' } : undefined };
}

function problemHref(finding: SentFinding | undefined): string {
  return typeof finding?.Row === 'number' && finding.Row > 0 ? `#row-${finding.Row}` : '#problems';
}
