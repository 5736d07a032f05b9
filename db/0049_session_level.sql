-- What a browser session's user has proved, and when they last proved it: changing the access of others asks again. Rows
-- from before are as old as their sign-in.
alter table session
  add column authenticationlevel varchar(20) collate "C",
  add column authenticateddate timestamptz;
