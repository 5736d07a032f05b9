import type postgres from 'postgres';

/** Tables of templates that are copied, each after those to which it refers. */
const TABLES = [
  'messagetemplate',
  'attachmenttemplate',
  'importformtemplate',
  'importformquestion',
  'decisiontemplate',
  'decisionsteptemplate',
];

/** What shows the configuration: a task type that many steps create. */
export interface ShownConfiguration {
  readonly taskType: number;
}

/** Copies workflows, task types and templates, unless there are enough, until there are `records`; changes a third. */
export async function fillConfiguration(sql: postgres.Sql, records: number): Promise<ShownConfiguration> {
  const present = await count(sql);
  if (present < records) {
    const strides = new Map<string, number>();
    for (const table of TABLES) strides.set(table, await greatestId(sql, table));
    const copies = Math.ceil(records / present) - 1;
    for (const table of TABLES) await copyTable(sql, table, copies, strides);
    for (const table of TABLES.filter((each) => each !== 'importformquestion'))
      await sql.unsafe(`update ${table} set description = 'Changed for all' where ${table}id % 3 = 0`);
    for (const table of TABLES) await sql.unsafe(`vacuum analyze ${table}`);
  }
  const [named] = await sql.unsafe<{ id: number }[]>(
    `select objectid::integer as id
     from decisionsteptemplate
     where object = 'ImportFormTemplate' and objectid is not null
     group by 1
     order by count(*) desc, 1
     limit 1`,
  );
  return { taskType: named?.id ?? 1 };
}

async function count(sql: postgres.Sql): Promise<number> {
  const counts = TABLES.map((table) => `(select count(*) from ${table})`);
  const [row] = await sql.unsafe<{ count: number }[]>(`select (${counts.join(' + ')})::integer as count`);
  return row?.count ?? 0;
}

async function greatestId(sql: postgres.Sql, table: string): Promise<number> {
  const [row] = await sql.unsafe<{ id: number }[]>(`select coalesce(max(${table}id), 1)::integer as id from ${table}`);
  return row?.id ?? 1;
}

async function copyTable(
  sql: postgres.Sql,
  table: string,
  copies: number,
  strides: ReadonlyMap<string, number>,
): Promise<void> {
  const columns = await sql.unsafe<{ name: string }[]>(
    `select attname as name from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  const values = columns.map(({ name }) => {
    const stride = strides.get(name.replace(/id$/, ''));
    if (name.endsWith('id') && stride !== undefined) return `${name} + k * ${stride}`;
    if (name === table) return `left(${name}, 80) || ' ' || k`;
    return name === 'createddate' ? `now() - k * interval '3 hours'` : name;
  });
  await sql.unsafe(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) overriding system value
     select ${values.join(', ')} from ${table} cross join generate_series(1, ${copies}) k`,
  );
  await sql.unsafe(`select setval(pg_get_serial_sequence('${table}', '${table}id'), max(${table}id)) from ${table}`);
}
