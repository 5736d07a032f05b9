import { item, type Row } from '../../../kernel/door/answer.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { decision } from '../decision/decision.record.ts';
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
    "Returns a workflow template as a Mermaid flowchart; with DecisionID, that workflow's version " +
    'with the status of its steps.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'DecisionID'],
  reach: 'row',
  params: {
    ID: f.id({ doc: 'The workflow template; that of DecisionID if empty.' }),
    DecisionID: f.id({
      doc: 'A workflow to draw, in the version it follows, with the status of each step.',
      to: 'Decision',
    }),
  },
  returns: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow template.' })),
    DecisionTemplate: f.text({ doc: 'Its name.' }),
    StepCount: required(f.integer({ doc: 'Number of steps drawn.' })),
    Flowchart: required(f.text({ doc: 'The flowchart in Mermaid notation.' })),
  },
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const named = namedRowIfSent(ctx, ctx.registry.recordType('Decision'), 'DecisionID');
  const drawnDecision = named && (await decisionVersion(ctx, named));
  if (drawnDecision && ID && drawnDecision.templateId !== ID)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'DecisionID',
      message: `DecisionID: the workflow is of the workflow template ${drawnDecision.templateId}.`,
    });
  const templateId = ID ?? drawnDecision?.templateId;
  if (!templateId)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID is required: the workflow template; or DecisionID, a workflow.',
    });
  const template = namedRowIfSent(ctx, ctx.record) ?? (await readRecord(ctx.db, ctx.record, templateId));
  const versionId = drawnDecision?.versionId ?? (await latestVersion(ctx, templateId));
  const content = versionId === undefined ? { name: '', steps: [] } : await readVersionContent(ctx, versionId);
  return item('DecisionTemplate', operation.returns, {
    DecisionTemplateID: templateId,
    DecisionTemplate: template.DecisionTemplate ?? null,
    StepCount: content.steps.length,
    Flowchart: flowchart(content, drawnDecision?.statuses),
  });
});

/** Returns the version that a workflow follows, and the status of its last step for each step of the template. */
async function decisionVersion(
  ctx: Context,
  row: Row<typeof decision>,
): Promise<{
  readonly templateId: number;
  readonly versionId: number | undefined;
  readonly statuses: ReadonlyMap<number, string>;
}> {
  const rows = await ctx.db.query<{ template: number; status: string | null }>(
    `select distinct on (decisionsteptemplateid) decisionsteptemplateid as template, status
     from decisionstep
     where decisionid = $1::bigint and decisionsteptemplateid is not null
     order by decisionsteptemplateid, decisionstepid desc`,
    [row.DecisionID],
  );
  const versionId = row.DecisionTemplateVersionID;
  return {
    templateId: row.DecisionTemplateID ?? 0,
    versionId: typeof versionId === 'number' ? versionId : undefined,
    statuses: new Map(rows.map(({ template, status }) => [template, status ?? 'Started'])),
  };
}
