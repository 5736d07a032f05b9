import type { Context } from '../door/context.ts';
import type { Db } from '../database/store.ts';
import type { RawValue } from '../parameters/parse-value.ts';
import type { DeletedRow } from '../records/history/restore-row.ts';
import type { DeletedRecords } from '../records/save/external-id.ts';
import type { PlanOptions, SavePlan } from '../records/save/plan.ts';
import type { ParameterFields } from './field-types.ts';
import type { Collection, RecordType } from './record.ts';
import type { Registry } from './registry.ts';

/**
 * What a module adds to the saves, deletes and undeletes of records, also of other modules' types. Declared in a
 * module's `save-feature.ts`. A save takes the hooks of all features in the order of the modules' names.
 */
export interface SaveFeature<State = unknown> {
  readonly doc: string;
  /** Whether saves of a record type have the feature. Default: all record types. */
  readonly appliesTo?: (record: RecordType, registry: Registry) => boolean;
  /** Parameters of fixed names that it adds to every save, as they are documented. */
  readonly fields?: ParameterFields;
  /** Returns the names of other parameters that it adds, to suggest for an unknown one. */
  readonly parameterNames?: (record: RecordType, parse: SaveParse) => readonly string[];
  /** Returns what the feature notes in a new plan; see {@link requireState}. */
  readonly initial?: () => State;
  /** Parses a parameter into the plan. Returns false for a parameter of another feature. */
  readonly parse?: (draft: SaveDraft, parameter: SaveParameter, parse: SaveParse) => boolean;
  /** Like `parse`, for parameters that nothing else parses: any name is accepted unless it returns false. */
  readonly parseRest?: (draft: SaveDraft, parameter: SaveParameter, parse: SaveParse) => boolean;
  /** Throws where the parameters of one record are incomplete. */
  readonly assertParsed?: (plan: SavePlan, parse: SaveParse) => void;
  /** Throws unless a caller whose authority is checked may use the feature. Runs before anything is saved. */
  readonly assertAllowed?: (ctx: Context, plan: SavePlan) => void;
  /** Finds the stored records that a save without an own identity changes; see {@link IdentifiedRecords}. */
  readonly identify?: (
    ctx: Context,
    plan: SavePlan,
    sentId: number | undefined,
  ) => Promise<IdentifiedRecords | undefined>;
  /** Runs before the checks, on the record alone; may change the plan's values. `id` is undefined for an insert. */
  readonly before?: (ctx: Context, plan: SavePlan, id: number | undefined) => Promise<void>;
  /** Runs after the record, its children and its parent are saved. Returns whether it may have changed the record. */
  readonly after?: (ctx: Context, plan: SavePlan, id: number) => Promise<boolean>;
  /** Throws if locked records of one type must not be deleted. Runs once for all of them, before the delete. */
  readonly assertDeletable?: (ctx: Context, record: RecordType, ids: readonly number[]) => Promise<void>;
  /**
   * Deletes what belongs to deleted records of one type, regardless of firm. Runs once for all of them. Returns the
   * records that it deleted, so that their external IDs are deleted too.
   */
  readonly afterDelete?: (db: Db, record: RecordType, ids: readonly number[]) => Promise<readonly DeletedRecords[]>;
  /** Throws where a deleted record cannot be restored. `old` is its row in history. */
  readonly assertRestorable?: (ctx: Context, record: RecordType, old: DeletedRow['old']) => Promise<void>;
  /** Restores what the call `callId` deleted together with a record. */
  readonly afterUndelete?: (
    ctx: Context,
    record: RecordType,
    restored: { readonly id: number; readonly callId: string | null },
  ) => Promise<void>;
}

/** One parameter of a save. */
export interface SaveParameter {
  /** The name without the record's own class and without the prefix. */
  readonly name: string;
  readonly raw: RawValue;
  /** The name with the prefix, for errors. */
  readonly field: string;
}

/** What parsing a save depends on. */
export interface SaveParse {
  readonly registry: Registry;
  readonly options: PlanOptions;
  /** Path of the nested record in the parameters' names, such as `Contacts_0_`. */
  readonly prefix: string;
}

/** A plan that is being parsed. */
export interface SaveDraft {
  readonly plan: SavePlan;
  /** Adds children, which are saved after those that were sent by position. */
  readonly addChildren: (collection: Collection, items: readonly SavePlan[]) => void;
}

/** The stored records that a feature finds for a save. */
export interface IdentifiedRecords {
  /** The one to update first; empty for an insert. */
  readonly ids: readonly number[];
  /** Whether the save deletes them instead. */
  readonly isCleared: boolean;
  /** The field that an insert of another one is refused with. */
  readonly field: string;
}

/** Declares a feature of saves. */
export function defineSaveFeature<State>(feature: SaveFeature<State>): SaveFeature<State> {
  return feature;
}

/** Returns what a feature has noted in a plan; undefined where it has noted nothing. */
export function stateOf<State>(plan: Pick<SavePlan, 'features'>, feature: SaveFeature<State>): State | undefined {
  return plan.features.get(feature) as State | undefined;
}

/** Returns what a feature notes in a plan, to be changed. */
export function requireState<State>(plan: Pick<SavePlan, 'features'>, feature: SaveFeature<State>): State {
  const known = stateOf(plan, feature);
  if (known !== undefined) return known;
  const state = feature.initial?.();
  if (state === undefined) throw new Error(`the feature has no state: ${feature.doc}`);
  plan.features.set(feature, state);
  return state;
}
