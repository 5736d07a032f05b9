import type { Context } from '../../../../kernel/door/context.ts';

/** The part of a template version that a diagram needs. */
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
  /** Groups of dependencies: the place of a step and the required result. One of each group must be satisfied. */
  readonly groups: readonly (readonly { readonly step: number; readonly isTrue: boolean | null }[])[];
}

/**
 * Reads a version's content. Versions never change. Firms cannot read them, but whoever can see the template or
 * workflow may know its outline.
 */
export async function readVersionContent(ctx: Context, versionId: number): Promise<VersionContent> {
  const [row] = await ctx.configuration.db.query<{ content: VersionContent }>(
    'select content from decisiontemplatecontent where decisiontemplateversionid = $1::bigint',
    [versionId],
  );
  if (!row) throw new Error(`version ${versionId} of a workflow's template has no content`);
  return row.content;
}

/** Returns the version that new workflows follow. */
export async function latestVersion(ctx: Context, templateId: number): Promise<number | undefined> {
  const [row] = await ctx.configuration.db.query<{ id: number | null }>(
    'select max(decisiontemplateversionid) as id from decisiontemplateversion where decisiontemplateid = $1::bigint',
    [templateId],
  );
  return row?.id ?? undefined;
}
