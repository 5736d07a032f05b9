-- The timeline of a case has the imports that changed it.
-- online: millions of rows of imports
create index concurrently if not exists importlog_case_idx on importlog (objectid, object) where object in ('Foreclosure', 'Bankruptcy');
