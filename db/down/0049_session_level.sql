-- down: when the users of open browser sessions last entered their passwords; they are asked again
alter table session drop column authenticationlevel, drop column authenticateddate;
