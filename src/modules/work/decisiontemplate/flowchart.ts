import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { latestVersion, readVersionContent } from './lib/version-content.ts';
import { flowchart } from './lib/flowchart.ts';

export const operation = defineOperation({
  module: 'decisiontemplate',
  name: 'Flowchart',
  method: 'GET',
  summary:
    'Draws the steps of a kind of workflow and their dependencies as the text of a Mermaid flowchart; with DecisionID as that workflow goes by them, and where its steps stand.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: f.id({ doc: 'The kind of workflow; that of DecisionID where it is empty.' }),
    DecisionID: f.id({
      doc: 'A workflow: it is drawn in the version that it goes by, each step with its status.',
      to: 'Decision',
    }),
  },
  returns: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow template.' })),
    DecisionTemplate: f.text({ doc: 'Its name.' }),
    StepCount: required(f.integer({ doc: 'How many steps are drawn.' })),
    Flowchart: required(f.text({ doc: 'The flowchart, in the notation of Mermaid.' })),
  },
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { ID, DecisionID }) => {
  const drawnDecision = DecisionID ? await decisionVersion(ctx, DecisionID) : undefined;
  if (drawnDecision && ID && drawnDecision.templateId !== ID)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'DecisionID',
      message: `DecisionID: the workflow is of the DecisionTemplate ${drawnDecision.templateId}.`,
    });
  const templateId = ID ?? drawnDecision?.templateId;
  if (!templateId)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID is required: the kind of workflow; or DecisionID, a workflow.',
    });
  const template = await readRecord(ctx.db, ctx.record, templateId);
  const versionId = drawnDecision?.versionId ?? (await latestVersion(ctx, templateId));
  const content = versionId === undefined ? { name: '', steps: [] } : await readVersionContent(ctx, versionId);
  return item('DecisionTemplate', operation.returns, {
    DecisionTemplateID: templateId,
    DecisionTemplate: template['DecisionTemplate'] ?? null,
    StepCount: content.steps.length,
    Flowchart: flowchart(content, drawnDecision?.statuses),
  });
});

/** The version that a workflow goes by, and the status of the last step that it has of each template. */
async function decisionVersion(
  ctx: Context,
  decisionId: number,
): Promise<{
  readonly templateId: number;
  readonly versionId: number | undefined;
  readonly statuses: ReadonlyMap<number, string>;
}> {
  const decision = await readRecord(ctx.db, ctx.registry.requireRecord('Decision', 'DecisionID'), decisionId);
  const rows = await ctx.db.query<{ template: number; status: string | null }>(
    'select distinct on (decisionsteptemplateid) decisionsteptemplateid as template, status from decisionstep where decisionid = $1::bigint and decisionsteptemplateid is not null order by decisionsteptemplateid, decisionstepid desc',
    [decisionId],
  );
  const versionId = decision['DecisionTemplateVersionID'];
  return {
    templateId: Number(decision['DecisionTemplateID'] ?? 0),
    versionId: typeof versionId === 'number' ? versionId : undefined,
    statuses: new Map(rows.map(({ template, status }) => [template, status ?? 'Started'])),
  };
}
