import { openCondition } from '../../../kernel/records/save/final-status.ts';
import { decision } from '../decision/decision.record.ts';
import { decisionStep } from '../decisionstep/decisionstep.record.ts';
import { importForm } from '../importform/importform.record.ts';
import { smartWorklist } from '../smartworklist/smartworklist.record.ts';
import { smartWorklistMember } from '../smartworklistmember/smartworklistmember.record.ts';

/*
 * SQL that is true for open rows of this area, from the end dates that their records declare. `alias` is the alias of
 * the table in the statement, if it has one.
 */

/** Whether a workflow is open. */
export const isOpenWorkflow = (alias?: string): string => openCondition(decision, alias);
/** Whether a step is open. */
export const isOpenStep = (alias?: string): string => openCondition(decisionStep, alias);
/** Whether a task is open. */
export const isOpenTask = (alias?: string): string => openCondition(importForm, alias);
/** Whether a queue is open. */
export const isOpenWorklist = (alias?: string): string => openCondition(smartWorklist, alias);
/** Whether a work item is open. */
export const isOpenItem = (alias?: string): string => openCondition(smartWorklistMember, alias);
