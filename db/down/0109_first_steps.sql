-- down: whether the sign-in page and the sidebar lead to the first steps
update setting set setting = 'WelcomeHidden', value = 'true' where setting = 'FirstSteps' and value = 'Hidden';
delete from setting where setting = 'FirstSteps';
