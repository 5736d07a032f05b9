import { namesHint, PlatformError } from '../door/errors.ts';
import type { RecordCatalog, RecordName } from './catalog.ts';
import { pluralOf, wordsOf } from './labels.ts';
import { assertNamesDeclared } from './named-parameters.ts';
import type { Operation, OperationDeclaration, Run } from './operation.ts';
import type { CallSource } from './call-source.ts';
import type { Check, Guard, Reaction } from './reaction.ts';
import type { SaveFeature } from './save-feature.ts';
import type { SearchFilter } from './search-filter.ts';
import { transferKeyOf, type Collection, type RecordType } from './record.ts';
import type { SettingDefinition } from './setting.ts';

/** The exports of an operation file. */
export interface OperationFile {
  readonly operation: OperationDeclaration;
  readonly run: unknown;
}

/** All declarations of the modules. */
export interface Declarations {
  readonly records: readonly RecordType[];
  readonly operations: readonly OperationFile[];
  readonly reactions?: readonly Reaction[];
  readonly checks?: readonly Check[];
  readonly guards?: readonly Guard[];
  readonly callSources?: readonly CallSource[];
  readonly saveFeatures?: readonly SaveFeature[];
  readonly searchFilters?: readonly SearchFilter[];
  readonly settings?: readonly SettingDefinition[];
}

/** Permissions of parts of an operation, or of a later module; the specification names them. */
export const namedPermissions = [
  'UnmaskSSN',
  'ReportAiToQuery',
  'LedgerUpdateLocked',
  'SmartWorklistMemberReassign',
  'SmartWorklistMemberBulkComplete',
] as const;

/**
 * Permissions of parts of an operation that the specification does not name. `ImportFormChangeCompleted`: change the
 * answers of a completed form. `LedgerCloseMonth`: close months of ledgers, and reopen them.
 */
export const partPermissions = ['ImportFormChangeCompleted', 'LedgerCloseMonth'] as const;

/** Permissions of pages that are no operations. `MetricsRead`: the counters of a process, at `/metrics`. */
export const pagePermissions = ['MetricsRead'] as const;

/** Operations that change records of any type. Logs do not have them: nobody changes what was logged. */
export const changeOperations = new Set([
  'save',
  'insert',
  'update',
  'delete',
  'undelete',
  'rollback',
  'updatefromrule',
  'updatefrommatrix',
]);

/**
 * All record types and operations by route. Created at start, and again when the installation's custom fields change.
 * Saved statements are looked up separately.
 */
export class Registry {
  private readonly declarations: Declarations;
  private readonly recordsByName = new Map<string, RecordType>();
  private readonly operationsByRoute = new Map<string, Operation>();
  private readonly patterns = new Map<string, Operation[]>();
  private readonly modules = new Set<string>();
  private readonly generic = new Set<unknown>();
  private readonly collectionsByRecord = new Map<RecordType, ReadonlyMap<string, Collection>>();
  private readonly families = new Map<RecordType, readonly RecordType[]>();

  private readonly reactionsByRecord = new Map<RecordType, readonly Reaction[]>();
  private readonly checksByRecord = new Map<RecordType, readonly Check[]>();
  private readonly guardsByRecord = new Map<RecordType, readonly Guard[]>();
  private readonly callSourcesByRecord = new Map<RecordType, readonly CallSource[]>();
  private readonly featuresByRecord = new Map<RecordType, readonly SaveFeature[]>();
  private readonly filtersByName: ReadonlyMap<string, SearchFilter>;
  private permissionNames: readonly string[] | undefined;
  /** All declared settings. */
  readonly settings: readonly SettingDefinition[];

  constructor(declarations: Declarations) {
    const { records, operations: files } = declarations;
    this.declarations = declarations;
    this.settings = declarations.settings ?? [];
    this.filtersByName = new Map(declarations.searchFilters?.map((filter) => [filter.name.toLowerCase(), filter]));
    for (const record of records) {
      this.recordsByName.set(record.module, record);
      this.modules.add(record.module);
    }
    for (const record of records) this.addConsequences(record);
    for (const file of files.filter((f) => f.operation.module !== 'any'))
      this.add(file, this.recordsByName.get(file.operation.module));
    for (const file of files.filter((f) => f.operation.module === 'any')) {
      this.generic.add(file.run);
      for (const record of records) {
        if (file.operation.on === 'configuration' && transferKeyOf(record) === undefined) continue;
        if (record.history === false && changeOperations.has(file.operation.name.toLowerCase())) continue;
        if (!this.operationsByRoute.has(`${record.module}/${file.operation.name.toLowerCase()}`))
          this.add(file, record);
      }
    }
  }

  /** Collects what is declared on a record type and its bases. */
  private addConsequences(record: RecordType): void {
    const { reactions = [], checks = [], guards = [], callSources = [] } = this.declarations;
    const isOn = ({ on }: { readonly on: RecordType }): boolean => isA(record, this.requireRecord(on.name, 'on'));
    this.reactionsByRecord.set(record, reactions.filter(isOn));
    this.checksByRecord.set(record, checks.filter(isOn));
    this.guardsByRecord.set(record, guards.filter(isOn));
    this.callSourcesByRecord.set(record, callSources.filter(isOn));
  }

  /** Returns the same declarations with other record types of the same names. */
  withRecords(records: readonly RecordType[]): Registry {
    return new Registry({ ...this.declarations, records });
  }

  /** Returns the reactions to changes of a record type, including those of its bases. */
  reactions(record: RecordType): readonly Reaction[] {
    return this.reactionsByRecord.get(record) ?? [];
  }

  /** Returns the checks of a record type's rows, including those of its bases. */
  checks(record: RecordType): readonly Check[] {
    return this.checksByRecord.get(record) ?? [];
  }

  /** Returns the guards of a record type's changes, including those of its bases. */
  guards(record: RecordType): readonly Guard[] {
    return this.guardsByRecord.get(record) ?? [];
  }

  /** Whether who may change records of a type depends on the rights of the user: users, roles and keys. */
  isAccessControl(record: RecordType): boolean {
    return this.guards(record).some(({ decidesBy }) => decidesBy === 'rights');
  }

  /** Returns what reads the calls that records of a type configure, including those of its bases. */
  callSources(record: RecordType): readonly CallSource[] {
    return this.callSourcesByRecord.get(record) ?? [];
  }

  /** Returns the features that modules add to the saves of a record type. */
  saveFeatures(record: RecordType): readonly SaveFeature[] {
    let known = this.featuresByRecord.get(record);
    if (!known) {
      const { saveFeatures = [] } = this.declarations;
      known = saveFeatures.filter(({ appliesTo }) => appliesTo?.(record, this) ?? true);
      this.featuresByRecord.set(record, known);
    }
    return known;
  }

  /** Returns the filters that modules add to the searches of all record types. */
  searchFilters(): readonly SearchFilter[] {
    return this.declarations.searchFilters ?? [];
  }

  /** Returns a filter of a module by name, ignoring case. */
  searchFilter(name: string): SearchFilter | undefined {
    return this.filtersByName.get(name.toLowerCase());
  }

  private add(file: OperationFile, record: RecordType | undefined): void {
    const { operation } = file;
    const module = record?.module ?? operation.module;
    const path = operation.path ?? operation.name.toLowerCase();
    const route = `${module}/${path}`;
    const className = record?.name ?? operation.module.charAt(0).toUpperCase() + operation.module.slice(1);
    const registered: Operation = {
      ...operation,
      module,
      route,
      record,
      permissionName: operation.permission ?? `${className}${operation.name}`,
      run: file.run as Run,
      origin: 'built-in',
    };
    if (this.operationsByRoute.has(route)) throw new Error(`two operations answer ${route}`);
    assertNamesDeclared(registered);
    this.modules.add(module);
    this.operationsByRoute.set(route, registered);
    if (path.includes('{')) this.patterns.set(module, [...(this.patterns.get(module) ?? []), registered]);
  }

  /** Whether a record type uses the generic operation of `any`, rather than one of its own. */
  isGeneric(record: RecordType, name: string): boolean {
    const operation = this.operationsByRoute.get(`${record.module}/${name}`);
    return operation !== undefined && this.generic.has(operation.run);
  }

  /** Returns a built-in operation by its registered route, with parameters as `{Name}`. */
  operation(route: string): Operation | undefined {
    return this.operationsByRoute.get(route);
  }

  /** Returns all built-in operations, in no particular order. */
  operations(): readonly Operation[] {
    return [...this.operationsByRoute.values()];
  }

  /** Returns the names of all permissions of built-in operations and of parts of them, sorted. */
  permissions(): readonly string[] {
    return (this.permissionNames ??= [
      ...new Set([
        ...this.operations().map((o) => o.permissionName),
        ...namedPermissions,
        ...partPermissions,
        ...pagePermissions,
      ]),
    ].sort());
  }

  records(): readonly RecordType[] {
    return [...this.recordsByName.values()];
  }

  /** Returns the names of all modules; record types in their own spelling. */
  moduleNames(): readonly string[] {
    return [...this.modules].map((module) => this.recordsByName.get(module)?.name ?? module);
  }

  hasModule(name: string): boolean {
    return this.modules.has(name.toLowerCase());
  }

  /** Returns a record type by name, ignoring case. */
  record(name: string): RecordType | undefined {
    return this.recordsByName.get(name.toLowerCase());
  }

  /** Returns what people call a record of a type; of an unknown name, its words. */
  titleOf(name: string): string {
    return this.record(name)?.title ?? wordsOf(name);
  }

  /** Returns what people call several records of a type; of an unknown name, the plural of its words. */
  titlePluralOf(name: string): string {
    return this.record(name)?.titlePlural ?? pluralOf(wordsOf(name));
  }

  /** Returns a record type that code names, with the installation's custom fields; its declaration types its rows. */
  recordType<N extends RecordName>(name: N): RecordCatalog[N] {
    const record = this.recordsByName.get(name.toLowerCase());
    if (!record) throw new Error(`there is no record type ${name}`);
    // The catalog's members are the declarations, and custom fields only add columns to them.
    return record as RecordCatalog[N];
  }

  /**
   * Returns a record type that a caller or configuration names; `field` is the parameter that holds the name.
   * @throws BAD_PARAMETER
   */
  requireRecord(name: string, field: string): RecordType {
    const record = this.record(name);
    if (record) return record;
    const names = this.records().map((r) => r.name);
    throw new PlatformError('BAD_PARAMETER', {
      field,
      message: `${field}: no record type has this name.${namesHint(name, names)}`,
    });
  }

  /** Returns the record types that derive from one, itself included. */
  family(record: RecordType): readonly RecordType[] {
    let known = this.families.get(record);
    if (!known) this.families.set(record, (known = this.records().filter((r) => isA(r, record))));
    return known;
  }

  /**
   * Returns the operation at a path of segments below a module, with the values of segments that are parameters. Routes
   * without parameters win. `path` is in lower case; `sent` is the path as sent, for the values.
   */
  find(
    module: string,
    path: string,
    sent = path,
  ): { readonly operation: Operation; readonly segments: Readonly<Record<string, string>> } | undefined {
    const fixed = this.operationsByRoute.get(`${module}/${path}`);
    if (fixed && !fixed.route.includes('{')) return { operation: fixed, segments: {} };
    for (const operation of this.patterns.get(module) ?? []) {
      const segments = matchSegments(operation.path ?? '', path, sent);
      if (segments) return { operation, segments };
    }
    return undefined;
  }

  /** Returns the collections of children of a record type, by lower-cased name. */
  collections(record: RecordType): ReadonlyMap<string, Collection> {
    let known = this.collectionsByRecord.get(record);
    if (!known) {
      const found = new Map<string, Collection>();
      const put = (c: Collection): void => void found.set(c.name.toLowerCase(), c);
      for (const child of this.records()) {
        if (child.parent !== undefined && record.history !== false)
          put({ name: child.parent, record: child.name, by: 'Object', ...keyOf(child) });
        for (const [key, name] of Object.entries(child.collections ?? {})) {
          const target = child.columns.get(key.toLowerCase())?.field.to;
          const parent = target === undefined ? undefined : this.record(target);
          if (parent && isA(record, parent)) put({ name, record: child.name, by: key, ...keyOf(child) });
        }
      }
      for (let at: RecordType | undefined = record; at; at = at.base) for (const own of at.children ?? []) put(own);
      this.collectionsByRecord.set(record, (known = found));
    }
    return known;
  }
}

function keyOf(child: RecordType): { key?: readonly string[] } {
  return child.childKey === undefined
    ? {}
    : { key: typeof child.childKey === 'string' ? [child.childKey] : child.childKey };
}

/** Whether a record type is another one or derives from it. */
export function isA(record: RecordType, ancestor: RecordType): boolean {
  for (let at: RecordType | undefined = record; at; at = at.base) if (at.name === ancestor.name) return true;
  return false;
}

function matchSegments(pattern: string, path: string, sent: string): Readonly<Record<string, string>> | undefined {
  const patternSegments = pattern.split('/');
  const given = path.split('/');
  const values = sent.split('/');
  if (patternSegments.length !== given.length) return undefined;
  const segments: Record<string, string> = {};
  for (const [i, part] of patternSegments.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith('{')) segments[part.slice(1, -1)] = values[i] ?? '';
    else if (part !== value) return undefined;
  }
  return segments;
}
