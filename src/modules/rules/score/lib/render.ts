import type { ScoreRender } from '../../../../contracts/score-engine.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { isDocumentOf } from '../../../documents/public/documents-of-record.ts';
import type { Score } from '../score.record.ts';

/**
 * Saves a score with the document that its engine filled in. Writes the file before it locks the score. Replaces the
 * document of the previous calculation; its history keeps the old content. Of two concurrent calculations, the second
 * waits for the score's lock and then finds the first one's document.
 */
export async function saveWithRender(ctx: Context, render: ScoreRender, save: () => Promise<Score>): Promise<Score> {
  const staged = await ctx.documents.stage(render.bytes(), { fileName: render.fileName });
  try {
    const id = (await save()).ScoreID;
    const record = ctx.registry.recordType('Score');
    const { RenderID: renderId } = await lockRecord(ctx, record, id);
    const isKnown = renderId !== null && (await isDocumentOf(ctx.db, renderId, { object: record.name, id }));
    const document = await ctx.call('attachment/save', {
      ...(isKnown ? { ID: renderId } : { Object: record.name, ObjectID: id }),
      FileName: render.fileName,
      Staged: staged.token,
    });
    const plan = planSave(ctx.registry, record, { ID: id, RenderID: document.row.AttachmentID }, planOptions(ctx));
    return (await saveRecord(ctx, plan, 'update')).row;
  } finally {
    await discardStaged(ctx, [staged]);
  }
}
