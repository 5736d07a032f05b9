import type { RecordType } from '../../../../kernel/declare/record.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { readDraft, type RecordDraft } from '../../../../kernel/records/drafts/record-drafts.ts';
import { parseContent, type LayoutContent } from '../../../../lib/page-layouts/content.ts';
import { layoutDifferences } from '../../../../lib/page-layouts/differences.ts';
import { pageLayout } from '../pagelayout.record.ts';
import { layoutProblems, type LayoutProblem } from './check-layout.ts';
import { readVersions, type LayoutVersion } from './layout-versions.ts';

/** A layout as it is edited: what is published, and the draft if there is one. Its base version is a number. */
export interface EditedLayout {
  readonly row: Row<typeof pageLayout>;
  /** The type of the cases that it is for. */
  readonly record: RecordType;
  readonly published: LayoutContent;
  /** The published versions, the newest first. */
  readonly versions: readonly LayoutVersion[];
  readonly draft: RecordDraft<LayoutContent> | undefined;
}

/** Returns a layout with what is published and its open draft. */
export async function readEditedLayout(ctx: Context, row: Row<typeof pageLayout>): Promise<EditedLayout> {
  const [versions, draft] = await Promise.all([
    readVersions(ctx, row),
    readDraft<LayoutContent>(ctx.db, pageLayout, row.PageLayoutID),
  ]);
  const record = ctx.registry.requireRecord(row.AppliesTo, 'AppliesTo');
  return { row, record, published: parseContent(row.Layout), versions, draft };
}

/** The number of the version that is published. */
export const publishedNumber = ({ versions }: Pick<EditedLayout, 'versions'>): number => versions[0]?.number ?? 1;

/** Returns the content that is edited: that of the draft, or else what is published. */
export const editedContent = ({ draft, published }: Pick<EditedLayout, 'draft' | 'published'>): LayoutContent =>
  draft?.content ?? published;

/** Returns the problems of a layout as it is edited. */
export const problemsOf = (ctx: Pick<Context, 'registry'>, edited: EditedLayout): readonly LayoutProblem[] =>
  layoutProblems(ctx.registry, edited.record, editedContent(edited));

/** The parameters of a change of a draft. */
export const draftParams = {
  ID: required(f.id({ doc: 'The layout.' })),
  Version: required(f.integer({ doc: 'The version of the draft that is changed; 0 if there is none yet.' })),
};

/** What operations on drafts return. */
export const draftFields = {
  PageLayoutID: required(f.id({ doc: 'The layout.' })),
  PageLayout: f.text({ doc: 'Its name.' }),
  AppliesTo: required(f.text({ doc: 'The record type of the cases that it is for.' })),
  Version: required(f.integer({ doc: 'The version of the draft that the next save must name; 0 if there is none.' })),
  Published: required(f.integer({ doc: 'The number of the published version, counted from 1.' })),
  Base: required(f.integer({ doc: 'The number of the version that was published when the draft began.' })),
  UpdatedDate: f.timestamp({ doc: 'When the draft was last saved.' }),
  UpdatedPersonID: f.id({ doc: 'Who saved it last.', to: 'Person' }),
  Layout: required(f.json({ doc: 'The content as it is edited, as `Layout` of the record has it.' })),
  PublishedLayout: required(f.json({ doc: 'The content that cases show.' })),
  Differences: required(
    f.json({ doc: 'What the draft changes: `kind` (added, changed or removed), `list`, `name` and `change`.' }),
  ),
  Problems: required(
    f.json({
      doc:
        'What is wrong: `Severity` (Error or Warning), `Title`, `Description`, `List` and `At`, counted from 0. ' +
        'A draft with errors cannot be published.',
    }),
  ),
};

/** Returns a layout as it is edited: see {@link draftFields}. */
export function draftValues(ctx: Pick<Context, 'registry'>, edited: EditedLayout): DraftValues {
  const { row, published, draft } = edited;
  const number = publishedNumber(edited);
  return {
    PageLayoutID: row.PageLayoutID,
    PageLayout: row.PageLayout ?? null,
    AppliesTo: edited.record.name,
    Version: draft?.version ?? 0,
    Published: number,
    Base: draft?.baseVersion ?? number,
    UpdatedDate: draft?.updatedDate ?? null,
    UpdatedPersonID: draft?.updatedPersonId ?? null,
    Layout: editedContent(edited),
    PublishedLayout: published,
    Differences: layoutDifferences(published, editedContent(edited)),
    Problems: problemsOf(ctx, edited),
  };
}

/** Values of {@link draftFields}. */
interface DraftValues {
  readonly PageLayoutID: number;
  readonly PageLayout: string | null;
  readonly AppliesTo: string;
  readonly Version: number;
  readonly Published: number;
  readonly Base: number;
  readonly UpdatedDate: string | null;
  readonly UpdatedPersonID: number | null;
  readonly Layout: LayoutContent;
  readonly PublishedLayout: LayoutContent;
  readonly Differences: ReturnType<typeof layoutDifferences>;
  readonly Problems: readonly LayoutProblem[];
}
