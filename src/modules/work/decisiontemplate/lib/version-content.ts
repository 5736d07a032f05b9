import type { Context } from '../../../../kernel/door/context.ts';

/** What of a version of a kind of workflow a picture of it needs. */
export interface VersionContent {
  readonly name: string;
  readonly steps: readonly ContentStep[];
}

/** A step of a version. */
export interface ContentStep {
  /** The DecisionStepTemplate. */
  readonly id: number;
  readonly name: string;
  readonly type: string | null;
  readonly object: string | null;
  readonly operation: string | null;
  readonly xslt: string | null;
  readonly repeatability: number;
  /** Each group with the places of the steps of which one must be complete, and the result that it must have. */
  readonly groups: readonly (readonly { readonly step: number; readonly isTrue: boolean | null }[])[];
}

/** What a version holds. Versions never change, and are closed to firms: who reaches the template or the workflow may know what it is made of. */
export async function readVersionContent(ctx: Context, versionId: number): Promise<VersionContent> {
  const [row] = await ctx.configuration.db.query<{ content: VersionContent }>(
    'select content from decisiontemplatecontent where decisiontemplateversionid = $1::bigint',
    [versionId],
  );
  if (!row) throw new Error(`version ${versionId} of a workflow's template has no content`);
  return row.content;
}

/** The version of a template that workflows start with now. */
export async function latestVersion(ctx: Context, templateId: number): Promise<number | undefined> {
  const [row] = await ctx.configuration.db.query<{ id: number | null }>(
    'select max(decisiontemplateversionid) as id from decisiontemplateversion where decisiontemplateid = $1::bigint',
    [templateId],
  );
  return row?.id ?? undefined;
}
