/** The stages of cases, many in a few statements. The caller has checked that the cases are visible. */
export { caseMilestones, type CaseMilestones } from '../decision/lib/milestones/case-milestones.ts';
