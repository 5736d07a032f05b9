/**
 * Returns the query of what saved statements of staff read as `history`: a row for each old value of a record. It is
 * read with the owner's rights, because the stored history also holds secrets; so it says itself who may see rows, and
 * shows only fields that the report view of their table shows.
 */
export function historyReport(): string {
  return (
    'select h.historyid, h.at as changedate, h.tablename as object, h.recordid as objectid, h.change, h.personid, ' +
    'h.version, o.key as field, o.value as oldvalue ' +
    'from history h cross join lateral jsonb_each_text(h.old) o ' +
    "where current_user = 'casewright_report_all' and exists (select from pg_attribute a join pg_class c " +
    "on c.oid = a.attrelid where c.relnamespace = 'report'::regnamespace and c.relname = h.tablename " +
    'and a.attname = o.key)'
  );
}
