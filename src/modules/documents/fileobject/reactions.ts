import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkLocation } from './lib/check-location.ts';
import { locationColumns, type StoredLocation } from './lib/stored-locations.ts';
import { fileObject } from './fileobject.record.ts';

export const checks = [
  defineCheck({
    on: fileObject,
    doc:
      "Requires a unique and unchanging name, the options of the location's kind and no others, and an " +
      'address that may be connected to. Secrets are stored encrypted and must be sent again with another ' +
      'address.',
    async run(ctx, { values, id }) {
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query<StoredLocation>(
              `select ${locationColumns} from fileobject where fileobjectid = $1::bigint`,
              [id],
            );
      checkLocation(ctx, values, before);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: fileObject,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of storage locations to the security log.',
    async run(ctx, row, change, changed) {
      await ctx.security({
        event: 'FileObjectChanged',
        object: 'FileObject',
        objectId: row.FileObjectID,
        detail: `${change}: ${[...changed].sort().join(', ')}`.slice(0, 400),
      });
    },
  }),
  defineReaction({
    on: fileObject,
    after: ['delete'],
    doc: 'Refuses to delete a storage location that holds documents; otherwise its watch history is deleted with it.',
    async run(ctx, row) {
      const { FileObject: name } = row;
      const [document] = await ctx.db.query<{ id: number }>(
        `select attachmentid as id from attachment where fileobject = $1::text and fileobject <> 'Local'
         union all
         select attachmentid from documentversion where fileobject = $1::text and fileobject <> 'Local'
         limit 1`,
        [name],
      );
      if (document)
        throw new PlatformError('IN_USE', {
          field: 'ID',
          message:
            `ID: Attachment ${document.id}, and perhaps others, have their files in this storage location; move ` +
            'them first.',
          details: { Object: 'Attachment', ObjectID: document.id },
        });
      await ctx.db.query('delete from watchedfile where location = $1::text', [name]);
      await ctx.db.query('delete from expectedfile where location = $1::text', [name]);
      await ctx.db.query('delete from fileremoval where fileobject = $1::text', [name]);
    },
  }),
];
