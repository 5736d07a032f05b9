import type { ScoreRender } from '../../../../contracts/score-engine.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';

/**
 * Saves a score with the document that its engine filled in. Writes the file before it locks the score. Replaces the
 * document of the previous calculation; its history keeps the old content. Of two concurrent calculations, the second
 * waits for the score's lock and then finds the first one's document.
 */
export async function saveWithRender(ctx: Context, render: ScoreRender, save: () => Promise<Row>): Promise<Row> {
  const staged = await ctx.documents.stage(render.bytes(), { fileName: render.fileName });
  try {
    const id = Number((await save())['ScoreID']);
    const record = ctx.registry.recordType('Score');
    await lockRecord(ctx, record, id);
    const [attachment] = await ctx.db.query<{ id: number }>(
      `select attachment.attachmentid as id
       from score
       join attachment on attachment.attachmentid = score.renderid
       where score.scoreid = $1::bigint and attachment.objectid = score.scoreid and attachment.object = $2::text`,
      [id, record.name],
    );
    const document = await ctx.call('attachment/save', {
      ...(attachment ? { ID: attachment.id } : { Object: record.name, ObjectID: id }),
      FileName: render.fileName,
      Staged: staged.token,
    });
    const plan = planSave(ctx.registry, record, { ID: id, RenderID: document.row.AttachmentID }, planOptions(ctx));
    return (await saveRecord(ctx, plan, 'update')).row;
  } finally {
    await ctx.documents.discard(staged.token);
  }
}
