/** Where stored documents are in a storage location, for a process without the platform's store. */

/** Runs a statement and returns its rows. */
type StatementRunner = <T extends object>(text: string, values: (string | number)[]) => PromiseLike<readonly T[]>;

/** A document and the path of its file. */
export interface StoredPath {
  readonly id: string;
  readonly path: string;
}

/** Returns the documents of a storage location after an id, in their order, at most `max`. */
export function pathsAfter(
  run: StatementRunner,
  location: string,
  { after, max }: { readonly after: number; readonly max: number },
): PromiseLike<readonly StoredPath[]> {
  return run<StoredPath>(
    `select attachmentid::text as id, filepath as path
     from attachment
     where fileobject = $1 and filepath is not null and attachmentid > $2
     order by attachmentid
     limit $3`,
    [location, String(after), max],
  );
}

/** Returns how many documents are in other storage locations. */
export async function countElsewhere(run: StatementRunner, location: string): Promise<number> {
  const [row] = await run<{ n: number }>('select count(*)::integer as n from attachment where fileobject <> $1', [
    location,
  ]);
  return row?.n ?? 0;
}

/** A path that a document had, and its path now; null for a deleted document. */
export interface FormerPath {
  readonly was: string;
  readonly is: string | null;
}

/** Returns the paths in a storage location that documents have lost since an instant. */
export function formerPaths(run: StatementRunner, location: string, since: string): PromiseLike<readonly FormerPath[]> {
  return run<FormerPath>(
    `select distinct h.old ->> 'filepath' as was, a.filepath as is
     from history h
     left join attachment a on a.attachmentid = h.recordid
     where h.tablename = 'attachment' and h.at >= $1::timestamptz
       and h.old ? 'filepath' and h.old ->> 'filepath' is not null
       and coalesce(h.old ->> 'fileobject', a.fileobject) = $2`,
    [since, location],
  );
}
