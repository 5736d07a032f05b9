import { f } from '../../../../kernel/declare/field.ts';
import type { TreeNode } from '../../../../kernel/door/answer.ts';

interface Leaf<N extends string, V> extends TreeNode {
  readonly name: N;
  readonly value: V;
}

type Text<N extends string> = N extends unknown ? Leaf<N, string> : never;

type Flag<N extends string> = N extends unknown ? Leaf<N, boolean> : never;

interface Group<N extends string, C extends TreeNode> extends TreeNode {
  readonly name: N;
  readonly children: readonly C[];
}

/** The description of a form, as importform/describe and importform/evaluate return it. */
export interface FormNode extends TreeNode {
  readonly attributes: {
    readonly ImportFormID: number | null;
    readonly ImportFormTemplateID: number | null;
    readonly Name: string;
    readonly Version: number | null;
    readonly Status: string | null;
    readonly Object: string | null;
    readonly ObjectID: number | null;
    /** When answers that are not saved yet were entered last, and by whom; only if they were requested. */
    readonly DraftDate?: string | null;
    readonly DraftPersonID?: number | null;
  };
  readonly children: readonly (
    | Flag<'HasStatuses' | 'IsComplete' | 'CanChange' | 'OnHold'>
    | Text<'Instructions'>
    | Group<'Holds', HoldNode>
    | Group<'Questions', QuestionNode>
    | Group<'Transitions', TransitionNode>
  )[];
}

/** A hold that blocks the task's completion. */
export interface HoldNode extends TreeNode {
  readonly attributes: {
    readonly DecisionDelayID: number;
    readonly Name: string | null;
    readonly ActualStart: string | null;
    readonly ProjectedCompletion: string | null;
  };
}

/** A question with its current answer. */
export interface QuestionNode extends TreeNode {
  readonly attributes: {
    readonly Name: string;
    readonly Type: string;
    readonly Place: string;
    readonly Minimum: string | null;
    readonly Maximum: string | null;
    readonly Pattern: string | null;
    /** The question whose answer decides whether this one is shown, if that is a single one. */
    readonly ShownBy: string | null;
    /** The label of the answer with which it is shown, if that is a single one. */
    readonly ShownFor: string | null;
  };
  readonly children: readonly (
    | Flag<'Shown' | 'Required' | 'ReadOnly' | 'Calculated'>
    | Text<'Prompt' | 'Help' | 'Section' | 'Value' | 'Saved' | 'Problem'>
    | Group<'Choices', ChoiceNode>
    | Group<'Columns', ColumnNode>
    | Group<'Rows', RowNode>
    | Group<'CellProblems', CellProblemNode>
  )[];
}

/** A column of a question with rows. */
export interface ColumnNode extends TreeNode {
  readonly attributes: {
    readonly Name: string;
    readonly Type: string;
    readonly Minimum: string | null;
    readonly Maximum: string | null;
    readonly Pattern: string | null;
    /** For amounts: the sum of the rows. */
    readonly Total: string | null;
  };
  readonly children: readonly (Flag<'Required'> | Text<'Prompt' | 'Help'> | Group<'Choices', ChoiceNode>)[];
}

/** A row of an answer: its cells by the names of their columns. */
export interface RowNode extends TreeNode {
  readonly attributes: Readonly<Record<string, string>>;
}

/** What is wrong with a cell, or with a row if no column is named. Rows are counted from 1. */
export interface CellProblemNode extends TreeNode {
  readonly attributes: { readonly Row: number; readonly Column: string | null; readonly Text: string };
}

/** An offered answer. */
interface ChoiceNode extends TreeNode {
  readonly attributes: { readonly Code: string; readonly Label: string };
  readonly children: readonly Flag<'Chosen'>[];
}

/** A move to another status. */
interface TransitionNode extends TreeNode {
  readonly attributes: {
    readonly ImportFormTransitionID: number;
    readonly Name: string;
    readonly ToStatus: string;
  };
  readonly children: readonly Flag<'IsFinal'>[];
}

/** Returns a text. */
export function leaf<N extends string>(name: N, value: string): Leaf<N, string> {
  return { name, value };
}

const yesOrNo = f.boolean({ doc: 'Yes or no.' });

/** Returns a truth value. */
export function flag<N extends string>(name: N, value: boolean): Leaf<N, boolean> {
  return { name, value, field: yesOrNo };
}

/** Returns a list of nodes, in JSON an array even of one. */
export function group<N extends string, C extends TreeNode>(name: N, children: readonly C[]): Group<N, C> {
  return { name, list: true, children };
}
