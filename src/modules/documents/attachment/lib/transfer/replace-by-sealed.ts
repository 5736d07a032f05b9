import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { assertDocumentNotHeld } from '../holds/legal-holds.ts';
import type { FileLocation } from './file-location.ts';
import { noteRemoval } from './remove-file.ts';

/**
 * Notes, in the call's transaction, the removal of a document's file that a sealed one is about to replace: no earlier
 * content is kept, since it may contain the same protected numbers. A file in a location of others stays: it is theirs.
 * @throws STATE_REFUSES for a document on legal hold
 */
export async function noteReplacedFile(own: Context, id: number): Promise<void> {
  await assertDocumentNotHeld(own, id, 'its file cannot be replaced by one that is stored encrypted');
  await own.transaction().elevated(async (db) => {
    const [file] = await db.query<FileLocation>(
      `select fileobject as location, filepath as path from attachment
       where attachmentid = $1::bigint and filepath is not null and fileobject is not null and sealed is not true
       for no key update`,
      [id],
    );
    if (file && !own.providers.get(FILE_OBJECT, file.location).shared) await noteRemoval(db, file, own.clock.now());
  });
}
