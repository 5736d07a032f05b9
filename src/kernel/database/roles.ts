/** Reserved role under row security. */
export const REACH_ROLE = 'casewright_reach';

/** Roles of saved queries: `reached` is under row security, `universal` sees every firm's rows. Neither can write. */
export const REPORT_ROLES = { reached: 'casewright_report', universal: 'casewright_report_all' } as const;

/** Role of bulk import statements. It changes rows of staging tables and has no rights outside their schema. */
export const STAGING_ROLE = 'casewright_staging';
