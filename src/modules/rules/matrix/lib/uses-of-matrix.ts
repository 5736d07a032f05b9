import type { Context } from '../../../../kernel/door/context.ts';
import { configurationUses, type ConfigurationUse } from '../../../../kernel/records/references/configuration-uses.ts';
import { matrix } from '../matrix.record.ts';

interface NamedMatrix {
  readonly id: number;
  readonly name: string;
}

/** Parameters by which calls name a matrix, besides those with the name of its type. */
const MATRIX_PARAMETERS = ['RuleSet', 'RuleSetName', 'RuleSetMatrix', 'FromMatrix'];

/** Returns the configuration that uses a matrix: by a field, a call that names it, or a cell of another matrix. */
export async function findUses(ctx: Context, named: NamedMatrix): Promise<ConfigurationUse[]> {
  const uses = await configurationUses(ctx, { record: matrix, ...named, parameters: MATRIX_PARAMETERS });
  return [...uses, ...(await cellUses(ctx, named))];
}

/** Returns the matrices whose cells name this one. */
async function cellUses(ctx: Context, { id, name }: NamedMatrix): Promise<ConfigurationUse[]> {
  const rows = await ctx.db.query<{ id: number; name: string | null; field: string }>(
    `select distinct m.matrixid as id, m.matrix as name, o.matrixmeasure as field
     from matrixfact f
     join matrixmeasure o using (matrixmeasureid)
     join matrix m on m.matrixid = f.matrixid
     where lower(o.matrixmeasure collate "C") like '%matrix%' and m.matrixid <> $2::bigint
       and (f.cell = $1::text collate casewright_text or (f.object = 'Matrix' and f.objectid = $2::bigint))
     order by m.matrix
     limit 100`,
    [name, id],
  );
  return rows.map((row) => ({
    Object: 'Matrix',
    ObjectID: row.id,
    Name: row.name,
    ParentObject: null,
    ParentID: null,
    Field: row.field,
    ByName: true,
  }));
}
