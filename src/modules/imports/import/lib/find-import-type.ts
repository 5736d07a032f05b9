import type { Context } from '../../../../kernel/door/context.ts';

/** An import type, as far as routing a submission needs it. */
export interface ImportType {
  readonly id: number;
  readonly name: string;
  /**
   * Whether documents of this type are imported while they stream in: referral types that configure nothing but the
   * referral import itself (no queue, threshold, status or method). Documents of any other type are stored first and
   * imported from storage.
   */
  readonly isStreamedReferral: boolean;
}

type StoredType = ImportType & { readonly isForFirms: boolean };

/**
 * Looks up the import type that a route names (`import/{Template}`), ignoring case and spaces. Returns undefined if
 * there is none, or none that the user may send to. Cached until the configuration changes.
 */
export async function findImportType(ctx: Context, name: string): Promise<ImportType | undefined> {
  const templates = await ctx.configuration.get('import templates by plain name', async () => {
    const rows = await ctx.configuration.db.query<StoredType>(
      `select importfiletemplateid as id, importfiletemplate as name,
         coalesce(importengine, '') = 'ReferralEngine' and async is not true and validateschema is not false
         and coalesce(importoperationsallowed, 3) in (3, 7)
           and num_nonnulls(failurethreshold, successthreshold, validatestatement, endimportmethod, oncompletestatus,
           parameterstring, schema) = 0 as "isStreamedReferral",
         coalesce(extranetenabled, 'No') <> 'No' as "isForFirms"
       from importfiletemplate order by importfiletemplateid desc`,
    );
    return new Map(rows.map((row) => [typeKey(row.name), row]));
  });
  const type = templates.get(typeKey(name));
  return type && (ctx.user.universal || type.isForFirms) ? type : undefined;
}

function typeKey(name: string): string {
  return name.replace(/\s+/g, '').toLowerCase();
}
